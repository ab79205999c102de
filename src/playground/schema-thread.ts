/** The worker thread of `check-answer.ts`. */
import { serveWorkerQueue } from '../base/serve-worker-queue.ts'
import { compileProblem, compileSchema, complaint, type SchemaMiss } from '../evaluators/json/compile-schema.ts'
import { readJson } from '../evaluators/json/json-text.ts'
import { TooMuchWork, workBudget } from '../evaluators/work-budget.ts'
import type { SchemaMissed, SchemaReply, SchemaTask } from './check-answer.ts'

const MISSES_MAX = 100

serveWorkerQueue(async ({ schema, text }: SchemaTask): Promise<SchemaReply> => {
  try {
    const check = compiled(schema)
    if (typeof check === 'string') return { problem: check }
    const budget = workBudget()
    const json = readJson(text, budget)
    if ('problem' in json) return { misses: [{ path: '', message: `the answer ${json.problem}` }] }
    const misses = check(json.value, budget).slice(0, MISSES_MAX)
    return { misses: misses.map(missed) }
  } catch (error) {
    if (error instanceof TooMuchWork) return { problem: 'checking the answer against it takes too long' }
    // A compiled schema throws this only if it calls itself without end.
    if (error instanceof RangeError) return { problem: 'it refers to itself without end' }
    throw error
  }
})

/** A property that is missing, or not known, has a path of its own. */
function missed(miss: SchemaMiss): SchemaMissed {
  const { keyword, instancePath, params } = miss
  const below = (name: unknown) => `${instancePath}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
  if (keyword === 'required') return { path: below(params.missingProperty), message: 'is missing' }
  const unknown = params.additionalProperty ?? params.unevaluatedProperty
  if (unknown !== undefined) return { path: below(unknown), message: 'is not in the schema' }
  return { path: instancePath, message: complaint(miss) }
}

function compiled(schema: SchemaTask['schema']) {
  try {
    return compileSchema(schema, { report: 'all' })
  } catch (error) {
    return compileProblem(error)
  }
}
