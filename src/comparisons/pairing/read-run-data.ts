/**
 * Reads the data of one of the two compared runs: its traces with their items, the scores of its evaluation, and the
 * ratings.
 *
 * A trace is matched to an item by its link, by the trace that the item was created from, by the match of an
 * evaluation, or by an equal input, in this order. The last is the slowest because it reads the texts.
 */

import { readPages } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { Split } from '../../datasets/splits/split.ts'
import { readSplitItems } from '../../datasets/splits/test-openings.ts'
import { findItemsByQuestion } from '../../runs/items-by-question.ts'
import { type EvaluatorInfo, readEvaluatorInfos } from '../../scores/evaluator-info.ts'
import { EvaluatorScores } from '../../scores/evaluator-scores.ts'
import { findNewestEvaluation } from '../../scores/judge-queries.ts'
import type { ScoreKey } from '../../scores/score-queries.ts'
import { type EvaluatorOptions, evaluatorOptions, humanRatingEvaluators } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'
import { dollars, milliseconds } from '../../traces/trace-summary.ts'
import {
  type ComparedRun,
  findEvaluationOfRun,
  listComparedScores,
  listEvaluatedItems,
  listRunCases,
  listRunRatings,
} from './comparison-queries.ts'
import type { RunCase } from './pair-items.ts'

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
  /** By item: what of it the evaluation judged. Items of older evaluations have no entry. */
  readonly itemHashes: ReadonlyMap<string, string>
  /** By trace reference, with one entry per rater. */
  readonly ratings: ReadonlyMap<string, readonly string[]>
  /** The references of rated traces that the queue drew in random order. */
  readonly drawn: ReadonlySet<string>
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
  const cases = await matchItems(q, { workspaceId, run, evaluationId, cases: await readCases(q, { workspaceId, run }) })
  return {
    run,
    evaluationId: evaluationId ?? null,
    evaluators: readEvaluatorInfos(evaluation?.results ?? null),
    options: evaluation ? evaluatorOptions(evaluation.config) : () => undefined,
    peopleEvaluators: evaluation ? humanRatingEvaluators(evaluation.config) : [],
    cases,
    ...(await readScores(q, { workspaceId, evaluationId, cases })),
    ...(await readRatings(q, scope)),
  }
}

async function readCases(q: Queries, { workspaceId, run }: RunDataQuery): Promise<RunCase[]> {
  const { runId, datasetId } = run
  const cases: RunCase[] = []
  let lastLinkedAt = ''
  const pages = readPages((page) => listRunCases(q, { workspaceId, runId, datasetId, ...page }), BY_REF)
  for await (const rows of pages) {
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
  }
  return cases
}

const BY_REF = { first: '', limit: ROWS_PER_PAGE, keyOf: ({ ref }: { ref: string }) => ref }

async function readRatings(q: Queries, scope: { workspaceId: string; runId: string }) {
  const ratings = new Map<string, string[]>()
  const drawn = new Set<string>()
  const byId = { first: NIL_ID, limit: ROWS_PER_PAGE, keyOf: ({ id }: { id: string }) => id }
  for await (const rows of readPages((page) => listRunRatings(q, { ...scope, ...page }), byId)) {
    for (const { ref, rating, isDrawn } of rows) {
      if (rating === null) continue
      if (isDrawn !== null) drawn.add(ref)
      const known = ratings.get(ref)
      if (known) known.push(rating)
      else ratings.set(ref, [rating])
    }
  }
  return { ratings, drawn }
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
  { workspaceId, evaluationId }: CasesQuery,
  found: Map<string, string>,
): Promise<void> {
  if (evaluationId === undefined) return
  const scope = { workspaceId, evaluationId }
  for await (const rows of readPages((page) => listEvaluatedItems(q, { ...scope, ...page }), BY_REF))
    for (const { ref, itemId } of rows) if (itemId !== null) found.set(ref, itemId)
}

const BY_SCORE_KEY = {
  first: { caseRef: '', evaluator: '', repetition: 0 },
  limit: 2_500,
  keyOf: ({ caseRef, evaluator, repetition }: ScoreKey): ScoreKey => ({ caseRef, evaluator, repetition }),
}

/** Reads the scores by evaluator, and what of each item they judged. Skipped scores are omitted. */
async function readScores(
  q: Queries,
  { workspaceId, evaluationId, cases }: Pick<CasesQuery, 'workspaceId' | 'evaluationId' | 'cases'>,
): Promise<Pick<RunData, 'scores' | 'itemHashes'>> {
  const scores = new Map<string, EvaluatorScores>()
  const itemHashes = new Map<string, string>()
  if (evaluationId === undefined) return { scores, itemHashes }
  const findIndex = sequentialLookup(cases.map(({ ref }) => ref))
  const evaluators: EvaluatorScores[] = []
  let findEvaluator = sequentialLookup([])
  let ref = ''
  let index = NOT_FOUND
  const pages = readPages((page) => listComparedScores(q, { workspaceId, evaluationId, ...page }), BY_SCORE_KEY)
  for await (const rows of pages) {
    for (const row of rows) {
      // One lookup per trace instead of one per score.
      if (row.caseRef !== ref) {
        ref = row.caseRef
        index = findIndex(ref)
      }
      addHash(itemHashes, cases[index]?.itemId, row.itemHash)
      if (index === NOT_FOUND || row.failed === null) continue
      let known = evaluators[findEvaluator(row.evaluator)]
      if (!known) {
        known = new EvaluatorScores(cases.length)
        evaluators.push(known)
        scores.set(row.evaluator, known)
        findEvaluator = sequentialLookup([...scores.keys()])
      }
      known.add(index, row)
    }
  }
  return { scores, itemHashes }
}

/** An item that was edited while it was evaluated has both hashes, and equals no other. */
function addHash(hashes: Map<string, string>, itemId: string | null | undefined, hash: string | null): void {
  if (itemId == null || hash === null) return
  const known = hashes.get(itemId)
  if (known === undefined) hashes.set(itemId, hash)
  else if (!known.includes(hash)) hashes.set(itemId, `${known} ${hash}`)
}

const NOT_FOUND = -1

/**
 * Returns a function that finds the index of a name in the list. Names are usually requested in list order, so the next
 * name is compared first: a map lookup for each row would cost more than reading the row. Wraps around after the last
 * name.
 */
function sequentialLookup(names: readonly string[]): (name: string) => number {
  let next = 0
  let indexes: ReadonlyMap<string, number> | undefined
  return (name) => {
    if (names[next] !== name) indexes ??= new Map(names.map((known, index) => [known, index]))
    const index = names[next] === name ? next : (indexes?.get(name) ?? NOT_FOUND)
    next = index + 1 === names.length ? 0 : index + 1
    return index
  }
}

type Sides = { baseline: readonly RunCase[]; candidate: readonly RunCase[] }

/**
 * The cases of both runs whose item belongs to the split, or all without a split, and whether any of them is a test item.
 * A case without an item belongs to no split.
 */
export async function selectCases(
  q: Queries,
  { split, ...dataset }: { workspaceId: string; datasetId: string; split: Split | undefined },
  { baseline, candidate }: Sides,
): Promise<Sides & { readsTest: boolean }> {
  const items = await readSplitItems(q, { ...dataset, split: split ?? 'test' })
  const isIn = ({ itemId }: RunCase) => itemId !== null && items.has(itemId)
  if (split === undefined) {
    const readsTest = items.size > 0 && (baseline.some(isIn) || candidate.some(isIn))
    return { baseline, candidate, readsTest }
  }
  const selected = { baseline: baseline.filter(isIn), candidate: candidate.filter(isIn) }
  return { ...selected, readsTest: split === 'test' && selected.baseline.length + selected.candidate.length > 0 }
}
