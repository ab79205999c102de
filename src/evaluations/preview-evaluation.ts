/**
 * Tries the evaluators of a config on a few cases. Neither an evaluation nor a score is stored. Everything else is as in
 * an evaluation: the prompts, the limits of the connection, the cache of answers, and the errors of an invalid config.
 */
import { badRequest, tooManyRequests } from '../base/errors.ts'
import { asksModel, ConfigError, type Need } from '../evaluators/evaluator.ts'
import { compileOptionChecks } from '../evaluators/read-evaluators.ts'
import type { Context } from '../http/route.ts'
import type { CaseKey } from '../scores/score-queries.ts'
import { readStoredConfig } from '../scores/stored-config.ts'
import type { Queries } from '../storage/db.ts'
import { previewOf } from '../traces/list-fields.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { assertMayJudge } from './assert-may-judge.ts'
import { type EvaluationConfig, readConfig } from './evaluation-config.ts'
import { isBlindToEvaluation } from './results/withhold-ratings.ts'
import { type CaseSource, findCases, firstSplitCases } from './runner/case-queries.ts'
import { compileEvaluators } from './runner/evaluate-case.ts'
import { type LoadedCase, loadCases, readBaseline } from './runner/load-cases.ts'
import { type TryDeps, tryCases } from './runner/try-cases.ts'
import { lockSource, readSize, type StartEvaluation } from './start-evaluation.ts'

const CASES_DEFAULT = 3
const MODEL_EVALUATORS_MAX = 5
/** Previews of one application at a time, in this process. */
const PREVIEWS_MAX = 3

export type PreviewDeps = TryDeps & { quotas: Quotas }

type PreviewRequest = Omit<StartEvaluation, 'name'> & {
  userId: string
  /** Items of the dataset or, with a run, traces of it. */
  caseIds?: readonly string[] | undefined
  sample?: number | undefined
}

/** Throws 400 if the config is invalid, as a dry run does. Stops when `signal` is aborted. */
export async function previewEvaluation(
  context: Pick<Context, 'db' | 'clock' | 'newId' | 'signal'>,
  deps: PreviewDeps,
  requested: PreviewRequest,
) {
  const { db, signal } = context
  const { workspaceId, userId: readerId } = requested
  const configText = readSize(requested.config ?? {})
  const locked = await db.transaction((tx) => lockSource(tx, requested))
  await deps.quotas.assertEvaluationsLeft(db.read, workspaceId)
  await assertMayJudge(context, deps, { workspaceId, config: configText })
  const leave = enter(workspaceId)
  try {
    await compileOptionChecks()
    const config = readConfig(configText)
    rejectManyModels(config)
    await compileEvaluators({ workspaceId, config, use: 'dry run', signal })
    const source = { ...locked, split: config.split }
    const keys = await selectCases(db.read, source, requested)
    const inputs = await readInputs(context, { config, source, keys })
    const withheld = (await isBlind(db.read, { config, source, readerId })) ? ratingEvaluators(config) : []
    const { scores, ...spent } = await tryCases(context, deps, { workspaceId, config, keys, inputs, withheld })
    return { cases: await describeCases(db.read, { workspaceId, keys, inputs, scores }), ...spent }
  } catch (error) {
    throw error instanceof ConfigError ? badRequest(error.message) : error
  } finally {
    leave()
  }
}

const running = new Map<string, number>()

/** A preview asks models at once, not in a queue, so only a few may run at a time. Returns what to call at its end. */
function enter(workspaceId: string): () => void {
  const count = running.get(workspaceId) ?? 0
  if (count >= PREVIEWS_MAX) throw tooManyRequests(`${PREVIEWS_MAX} previews are running already; try again later`, 5)
  running.set(workspaceId, count + 1)
  return () => {
    const left = (running.get(workspaceId) ?? 1) - 1
    if (left === 0) running.delete(workspaceId)
    else running.set(workspaceId, left)
  }
}

function rejectManyModels({ evaluators }: EvaluationConfig): void {
  if (evaluators.filter(asksModel).length <= MODEL_EVALUATORS_MAX) return
  throw badRequest(`A preview runs at most ${MODEL_EVALUATORS_MAX} evaluators that ask a model`)
}

/** The named cases, or the first ones: trying again after a change of the config shows the same cases. */
async function selectCases(
  q: Queries,
  source: CaseSource,
  { caseIds, sample }: Pick<PreviewRequest, 'caseIds' | 'sample'>,
): Promise<CaseKey[]> {
  if (caseIds === undefined) return firstSplitCases(q, source, sample ?? CASES_DEFAULT)
  if (sample !== undefined) throw badRequest('The fields caseIds and sample exclude each other')
  const found = await findCases(q, source, caseIds)
  return found.map((key, index) => {
    if (key) return key
    throw badRequest(`The field caseIds[${index}] is not a case of the ${source.runId === null ? 'dataset' : 'run'}`)
  })
}

type Previewed = { config: EvaluationConfig; source: CaseSource }

async function readInputs(
  { db }: Pick<Context, 'db'>,
  { config, source, keys }: Previewed & { keys: readonly CaseKey[] },
): Promise<Map<string, LoadedCase>> {
  const bulk = db.bulk({ application: source.workspaceId, from: 'request' })
  const baselineRefs = await readBaseline({ read: db.read, bulk }, { config, source, hasBegun: false })
  const needs = new Set<Need>(config.evaluators.flatMap((evaluator) => evaluator.needs))
  const inputs = new Map<string, LoadedCase>()
  for await (const cases of loadCases(bulk, { source, needs, baselineRefs }, keys)) {
    for (const [ref, input] of cases) inputs.set(ref, input)
  }
  return inputs
}

async function isBlind(q: Queries, { config, source, readerId }: Previewed & { readerId: string }): Promise<boolean> {
  const { workspaceId, runId } = source
  return isBlindToEvaluation(q, { workspaceId, readerId }, { runId, config: readStoredConfig(config.text) })
}

function ratingEvaluators({ evaluators }: EvaluationConfig): string[] {
  return evaluators.filter(({ needs }) => needs.includes('ratings')).map(({ name }) => name)
}

type Described<Score> = {
  workspaceId: string
  keys: readonly CaseKey[]
  inputs: ReadonlyMap<string, LoadedCase>
  scores: ReadonlyMap<string, Score>
}

async function describeCases<Score>(q: Queries, { workspaceId, keys, inputs, scores }: Described<Score>) {
  const refs = keys.flatMap(({ traceRef }) => (traceRef === null ? [] : [traceRef]))
  const traceIds = await findTraceIds(q, workspaceId, refs)
  return keys.map(({ ref, itemId, traceRef }) => {
    const read = inputs.get(ref)
    return {
      itemId: read?.itemId ?? itemId,
      // The id if the trace has arrived, otherwise the reference of the client.
      traceDbId: traceRef === null ? null : (traceIds.get(traceRef) ?? traceRef),
      input: previewOf(read?.input ?? null),
      output: previewOf(read?.output ?? null),
      expected: previewOf(read?.expected ?? null),
      scores: scores.get(ref) ?? [],
    }
  })
}
