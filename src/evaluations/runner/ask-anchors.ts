/**
 * Asks the judges about the anchors of the config: labeled answers that are judged again with every evaluation, never from
 * the cache, so that a change of the judge shows. Each verdict is stored at once, so that after a crash the next worker
 * asks only for the missing ones.
 */
import { createHash } from 'node:crypto'
import { readRatingScheme } from '../../annotations/rating-rule-queries.ts'
import { listTraceRatings } from '../../annotations/trace-rating-queries.ts'
import { timestamp } from '../../base/clock.ts'
import { findDatasetsOfAnyComponent } from '../../datasets/dataset-queries.ts'
import { asksModel, type Case, ConfigError, type Evaluator } from '../../evaluators/evaluator.ts'
import { isGoodRating, type RatingScheme, ratingsArePositive } from '../../evaluators/rating-scheme.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { ModelError } from '../../llm/model-client.ts'
import { evaluatorOptions, readStoredConfig } from '../../scores/stored-config.ts'
import { BudgetError } from '../../spending/ledger.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import type { Queries } from '../../storage/db.ts'
import { insertAnchorVerdict, listAnchorSources, listJudgedAnchors } from '../anchor-verdict-queries.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import { type CaseSource, listCases } from './case-queries.ts'
import { loadCases } from './load-cases.ts'
import { askJudge } from './score-with-models.ts'
import type { Scoring } from './scoring.ts'

/** The first items of the dataset. More would cost more than the drift that they could show is worth. */
export const ANCHORS_MAX = 200
const READABLE: readonly string[] = ['output', 'expected', 'model']

/** True for evaluators whose verdict depends on a model and on nothing but the texts of an item. */
export function canAskAnchors(evaluator: Evaluator): boolean {
  return asksModel(evaluator) && evaluator.needs.every((need) => READABLE.includes(need))
}

/** Identifies the settings of an evaluator: a judge with other instructions or another model is another judge. */
export function judgeKey(config: EvaluationConfig, name: string): string {
  const options = evaluatorOptions(readStoredConfig(config.text))(name) ?? {}
  const entries = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url')
}

/** Throws a ConfigError unless the anchors are a dataset of the application. */
export async function checkAnchors(q: Queries, workspaceId: string, anchors: string): Promise<void> {
  const found = await findDatasetsOfAnyComponent(q, workspaceId, [anchors])
  if (!found.has(anchors)) throw new ConfigError('config.anchors: there is no dataset with this id')
}

type AnchorTask = { evaluator: Evaluator; judge: string; itemId: string; input: Case; isGood: boolean | undefined }

/** Stops early if the job must yield, or if the cost limit is reached; the verdicts so far stay. */
export async function askAnchors(job: JobRun, scoring: Scoring, session: ModelSession): Promise<void> {
  const { config, softStop } = scoring
  const tasks = await listTasks(job, scoring)
  let next = 0
  let isOver = false
  const work = async () => {
    for (let task = tasks[next++]; task && !isOver && !softStop.aborted; task = tasks[next++]) {
      if (!(await askOnce(job, scoring, { session, task }))) isOver = true
    }
  }
  await Promise.all(Array.from({ length: config.concurrency }, work))
}

async function listTasks(job: JobRun, { evaluationId, config }: Scoring): Promise<AnchorTask[]> {
  const { anchors: datasetId, evaluators } = config
  const { workspaceId } = job
  if (datasetId === undefined) return []
  const bulk = job.db.bulk({ application: workspaceId, from: 'job' })
  const inputs = await readAnchors(bulk, { workspaceId, datasetId, runId: null })
  const tasks: AnchorTask[] = []
  for (const evaluator of evaluators.filter(canAskAnchors)) {
    const judge = judgeKey(config, evaluator.name)
    const judged = await listJudgedAnchors(bulk, { workspaceId, datasetId, judge }, { evaluationId })
    for (const { itemId, ...anchor } of inputs) {
      if (!judged.has(itemId)) tasks.push({ evaluator, judge, itemId, ...anchor })
    }
  }
  return tasks
}

/** The texts of the anchors, and their labels: a rating in their metadata, else the ratings of their trace. */
async function readAnchors(q: Queries, source: CaseSource): Promise<Omit<AnchorTask, 'evaluator' | 'judge'>[]> {
  const { workspaceId } = source
  const keys = await listCases(q, source, { after: '', limit: ANCHORS_MAX })
  const scheme = await readRatingScheme(q, workspaceId)
  const items = await listAnchorSources(
    q,
    source,
    keys.map(({ ref }) => ref),
  )
  const refs = items.flatMap(({ traceRef }) => (traceRef === null ? [] : [traceRef]))
  const ratings = refs.length === 0 ? new Map() : await listTraceRatings(q, { workspaceId, runId: null }, refs)
  const labels = new Map(
    items.map(({ id, traceRef, metadata }) => {
      const given = [...(ratings.get(traceRef ?? '')?.values() ?? [])].map(String)
      return [id, labelIn(scheme, metadata) ?? ratingsArePositive(scheme, given)]
    }),
  )
  const anchors: Omit<AnchorTask, 'evaluator' | 'judge'>[] = []
  const needs = new Set(['output', 'expected', 'model'] as const)
  for await (const cases of loadCases(q, { source, needs, baselineRefs: new Map() }, keys)) {
    for (const [itemId, input] of cases) anchors.push({ itemId, input, isGood: labels.get(itemId) })
  }
  return anchors
}

function labelIn(scheme: RatingScheme, metadata: string | null): boolean | undefined {
  const { rating }: { rating?: unknown } = Object(metadata === null ? {} : JSON.parse(metadata))
  return typeof rating === 'string' ? isGoodRating(scheme, rating) : undefined
}

/** Returns false if no further question can be asked. An anchor that the judge cannot answer has no verdict. */
async function askOnce(
  job: JobRun,
  scoring: Scoring,
  { session, task }: { session: ModelSession; task: AnchorTask },
): Promise<boolean> {
  const { evaluator, judge, itemId, input, isGood } = task
  const { evaluationId, config, softStop } = scoring
  try {
    // Past the cache: a cached answer is that of an earlier judge.
    const verdict = await askJudge(job, scoring, { session, evaluator, input, mayReuse: false }, (given) => given)
    if (verdict.state === 'scored' && verdict.passed !== undefined) {
      const series = { workspaceId: job.workspaceId, datasetId: config.anchors ?? '', judge }
      const row = { evaluationId, itemId, isPassed: verdict.passed, isGood, now: timestamp(job.clock.now()) }
      await job.commit((tx) => insertAnchorVerdict(tx, series, row))
    }
    return true
  } catch (error) {
    if (softStop.aborted || error instanceof BudgetError) return false
    if (error instanceof ModelError) return true
    throw error
  }
}
