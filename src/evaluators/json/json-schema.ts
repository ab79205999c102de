import { anyObject, closed } from '../../http/schemas.ts'
import { defineEvaluator, pathOption } from '../define-evaluator.ts'
import { ConfigError } from '../evaluator.ts'
import { binary, skipped } from '../verdicts.ts'
import { TooMuchWork } from '../work-budget.ts'
import { readJson } from './json-text.ts'
import { compileSchema } from './untrusted-schema.ts'

export const jsonSchema = defineEvaluator({
  type: 'jsonSchema',
  summary: 'The output is JSON that fits a JSON Schema',
  kind: 'binary',
  needs: ['output'],
  options: closed({
    schema: anyObject({
      description:
        'A JSON Schema of draft 2020-12, or of draft-07 if its $schema says so. It may refer to parts of itself alone.',
    }),
    path: pathOption,
  }),
  // A schema of a few hundred bytes can need a second.
  isSlowToCompile: () => true,
  prepare({ schema }, key) {
    const check = compiled(schema, `${key}.schema`)
    return ({ output }, budget) => {
      const json = readJson(output, budget)
      if ('problem' in json) return binary(false, `the output ${json.problem}`)
      try {
        const problem = check(json.value, budget)
        return binary(problem === undefined, problem)
      } catch (error) {
        if (error instanceof TooMuchWork) return skipped('checking the output against the schema takes too long')
        // A compiled schema throws this only if it calls itself without end.
        if (error instanceof RangeError) return skipped('the schema refers to itself without end')
        throw error
      }
    }
  },
})

function compiled(schema: Record<string, unknown>, key: string) {
  try {
    return compileSchema(schema)
  } catch (error) {
    const problem = compileProblem(error)
    throw new ConfigError(`${key} cannot be used: ${problem.slice(0, 300)}`, { cause: error })
  }
}

function compileProblem(error: unknown): string {
  // The compiler calls itself for every reference that it has not compiled yet.
  if (error instanceof RangeError) return 'its references are nested too deeply'
  return error instanceof Error ? error.message : 'it cannot be compiled'
}
