/**
 * Reads the data of one of the two compared runs: its traces with their items, the scores of its evaluation, and the
 * ratings.
 *
 * A trace is matched to an item by its link, by the trace that the item was created from, by the match of an
 * evaluation, or by an equal input, in this order. The last is the slowest because it reads the texts.
 */

import { yieldToEventLoop } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import { findItemsByQuestion } from '../../runs/items-by-question.ts'
import { type EvaluatorInfo, readEvaluatorInfos } from '../../scores/evaluator-info.ts'
import type { EvaluatorScores } from '../../scores/evaluator-scores.ts'
import { findNewestEvaluation } from '../../scores/judge-queries.ts'
import { type EvaluatorOptions, evaluatorOptions, humanRatingEvaluators } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'
import { dollars, milliseconds } from '../../traces/trace-summary.ts'
import {
  type ComparedRun,
  findEvaluationOfRun,
  listEvaluatedItems,
  listRunCases,
  listRunRatings,
} from './comparison-queries.ts'
import type { RunCase } from './pair-items.ts'
import { readScores } from './read-scores.ts'

export type RunData = {
  readonly run: ComparedRun
  readonly evaluationId: string | null
  readonly evaluators: ReadonlyMap<string, EvaluatorInfo>
  readonly options: EvaluatorOptions
  /** The evaluators that return ratings. */
  readonly peopleEvaluators: readonly string[]
  readonly cases: readonly RunCase[]
  /** By evaluator. */
  readonly scores: ReadonlyMap<string, EvaluatorScores>
  /** By trace reference, with one entry per rater. */
  readonly ratings: ReadonlyMap<string, readonly string[]>
}

const ROWS_PER_PAGE = 1_000

type RunDataQuery = {
  workspaceId: string
  run: ComparedRun
  /** Replaces the newest completed evaluation. */
  evaluationId?: string | undefined
}

export async function readRunData(
  q: Queries,
  { workspaceId, run, evaluationId: requestedEvaluationId }: RunDataQuery,
): Promise<RunData> {
  const scope = { workspaceId, runId: run.runId }
  const evaluation =
    requestedEvaluationId === undefined
      ? await findNewestEvaluation(q, scope)
      : await findEvaluationOfRun(q, { ...scope, evaluationId: requestedEvaluationId })
  const evaluationId = evaluation?.id
  const cases = await readCases(q, { workspaceId, run })
  return {
    run,
    evaluationId: evaluationId ?? null,
    evaluators: readEvaluatorInfos(evaluation?.results ?? null),
    options: evaluation ? evaluatorOptions(evaluation.config) : () => undefined,
    peopleEvaluators: evaluation ? humanRatingEvaluators(evaluation.config) : [],
    cases: await matchItems(q, { workspaceId, run, evaluationId, cases }),
    scores: await readScores(q, { workspaceId, evaluationId, cases }),
    ratings: await readRatings(q, scope),
  }
}

async function readCases(q: Queries, { workspaceId, run }: RunDataQuery): Promise<RunCase[]> {
  const { runId, datasetId } = run
  const cases: RunCase[] = []
  let [after, lastLinkedAt] = ['', '']
  for (;;) {
    const rows = await listRunCases(q, { workspaceId, runId, datasetId, after, limit: ROWS_PER_PAGE })
    for (const { ref, linkedAt, traceDbId, itemId, status, durationNs, costUsd, totalTokens } of rows) {
      const facts = {
        isError: status === 'error',
        durationMs: milliseconds(durationNs),
        costUsd: dollars(costUsd),
        totalTokens,
      }
      const trace = traceDbId === null ? null : facts
      // Traces linked by the same request share one string.
      if (linkedAt !== lastLinkedAt) lastLinkedAt = linkedAt
      cases.push({ index: cases.length, ref, linkedAt: lastLinkedAt, traceDbId, itemId, trace })
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return cases
    after = last.ref
    await yieldToEventLoop()
  }
}

async function readRatings(q: Queries, scope: { workspaceId: string; runId: string }): Promise<Map<string, string[]>> {
  const ratings = new Map<string, string[]>()
  let after = NIL_ID
  for (;;) {
    const rows = await listRunRatings(q, { ...scope, after, limit: ROWS_PER_PAGE })
    for (const { ref, rating } of rows) {
      if (rating === null) continue
      const known = ratings.get(ref)
      if (known) known.push(rating)
      else ratings.set(ref, [rating])
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return ratings
    after = last.id
    await yieldToEventLoop()
  }
}

type CasesQuery = { workspaceId: string; run: ComparedRun; evaluationId: string | undefined; cases: RunCase[] }

async function matchItems(q: Queries, query: CasesQuery): Promise<RunCase[]> {
  const { workspaceId, run, cases } = query
  const isUnmatched = ({ ref, itemId }: RunCase) => itemId === null && !found.has(ref)
  const found = new Map<string, string>()
  if (!cases.some(isUnmatched)) return cases
  await addEvaluatedItems(q, query, found)
  const unmatched = cases.filter((one) => isUnmatched(one) && one.trace !== null).map(({ ref }) => ref)
  const dataset = { workspaceId, datasetId: run.datasetId }
  for (const [ref, itemId] of await findItemsByQuestion(q, dataset, unmatched)) found.set(ref, itemId)
  return cases.map((one) => (one.itemId === null ? { ...one, itemId: found.get(one.ref) ?? null } : one))
}

async function addEvaluatedItems(
  q: Queries,
  { workspaceId, run, evaluationId }: CasesQuery,
  found: Map<string, string>,
): Promise<void> {
  let after = ''
  while (evaluationId !== undefined) {
    const { datasetId } = run
    const rows = await listEvaluatedItems(q, { workspaceId, evaluationId, datasetId, after, limit: ROWS_PER_PAGE })
    for (const { ref, itemId } of rows) if (itemId !== null) found.set(ref, itemId)
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return
    after = last.ref
    await yieldToEventLoop()
  }
}
