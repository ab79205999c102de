/**
 * Reads the data of one of the two compared runs: its traces with their items, the scores of its evaluations, and the
 * ratings. The scores of an evaluator are those of the newest evaluation that has it.
 *
 * A trace is matched to an item by its link, by the trace that the item was created from, by the match of an
 * evaluation, or by an equal input, in this order. The last is the slowest because it reads the texts.
 */

import { readPages } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import { findItemsByQuestion } from '../../runs/items-by-question.ts'
import type { EvaluatorInfo } from '../../scores/evaluator-info.ts'
import { EvaluatorScores } from '../../scores/evaluator-scores.ts'
import type { JudgedWith } from '../../scores/judged-with.ts'
import { listRunEvaluations, newestOfEach, type RunEvaluation } from '../../scores/run-evaluation-queries.ts'
import type { ScoreKey } from '../../scores/score-queries.ts'
import {
  type DeclaredPlan,
  type EvaluatorOptions,
  evaluatorOptions,
  type GateRule,
  humanRatingEvaluators,
} from '../../scores/stored-config.ts'
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
  /** The newest evaluation. */
  readonly evaluationId: string | null
  /** By evaluator: the evaluation that it is read from. */
  readonly evaluationOf: ReadonlyMap<string, string>
  readonly evaluators: ReadonlyMap<string, EvaluatorInfo>
  readonly options: EvaluatorOptions
  /** By evaluator. Undefined if an older version evaluated it. */
  readonly judgedWith: (name: string) => JudgedWith | undefined
  /** The evaluators that return ratings. */
  readonly peopleEvaluators: readonly string[]
  /** The plan of looks of the newest evaluation that has one. */
  readonly plan: DeclaredPlan | undefined
  /** Of the newest evaluation that compared it with the other run. */
  readonly gateRule: GateRule | undefined
  readonly cases: readonly RunCase[]
  /** By evaluator. */
  readonly scores: ReadonlyMap<string, EvaluatorScores>
  /** By evaluation and item: what of the item was judged. Items of older versions have no entry. */
  readonly itemHashes: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** By trace reference, with one entry per rater. */
  readonly ratings: ReadonlyMap<string, readonly string[]>
  /** The references of rated traces that the queue drew in random order. */
  readonly drawn: ReadonlySet<string>
}

const ROWS_PER_PAGE = 1_000

type RunDataQuery = {
  workspaceId: string
  run: ComparedRun
  /** The run that it is compared with. */
  otherRunId?: string | undefined
  /** An evaluation that counts as the newest one even if it is not completed. */
  evaluationId?: string | undefined
  /** Its evaluators, which are not stored yet. */
  evaluators?: readonly (EvaluatorInfo & { name: string })[] | undefined
}

export async function readRunData(q: Queries, query: RunDataQuery): Promise<RunData> {
  const { workspaceId, run } = query
  const evaluations = await listEvaluations(q, query)
  const newest = newestByName(evaluations, query.otherRunId)
  const evaluationOf = new Map([...newest].map(([name, { id }]) => [name, id]))
  // Without names, only its scores show what it has.
  const used = evaluations.filter((one) => namesIn(one).length === 0 || [...newest.values()].includes(one))
  const cases = await matchItems(q, { workspaceId, run, evaluations: used, cases: await readCases(q, query) })
  const read = await readScores(q, { workspaceId, evaluations: used, cases, evaluationOf })
  const isOf = (id: string) => (name: string) => evaluationOf.get(name) === id
  const options = new Map(used.map(({ id, config }) => [id, evaluatorOptions(config)]))
  const judgedWith = new Map(used.map((one) => [one.id, one.judgedWith]))
  return {
    run,
    evaluationId: evaluations[0]?.id ?? null,
    evaluationOf,
    evaluators: new Map(used.toReversed().flatMap(({ evaluators }) => [...evaluators])),
    options: (name) => options.get(evaluationOf.get(name) ?? '')?.(name),
    judgedWith: (name) => judgedWith.get(evaluationOf.get(name) ?? '')?.get(name),
    peopleEvaluators: used.flatMap(({ id, config }) => humanRatingEvaluators(config).filter(isOf(id))),
    plan: evaluations.find(({ config }) => config.plan)?.config.plan,
    gateRule: evaluations.find(({ config }) => config.baselineRunId === query.otherRunId)?.config.gateRule,
    cases,
    ...read,
    ...(await readRatings(q, { workspaceId, runId: run.runId })),
  }
}

/** Newest first. */
async function listEvaluations(
  q: Queries,
  { workspaceId, run: { runId }, evaluationId, evaluators = [] }: RunDataQuery,
): Promise<RunEvaluation[]> {
  const completed = await listRunEvaluations(q, { workspaceId, runIds: [runId] })
  const first = evaluationId && (await findEvaluationOfRun(q, { workspaceId, runId, evaluationId }))
  if (!first) return completed
  const infos = new Map(evaluators.map((info) => [info.name, info]))
  return [{ ...first, evaluators: infos }, ...completed.filter(({ id }) => id !== evaluationId)]
}

/** A judge that compared the answers with those of a third run does not hide an older one of the same name. */
function newestByName(evaluations: readonly RunEvaluation[], otherRunId = ''): Map<string, RunEvaluation> {
  const isWithOther =
    ({ config }: RunEvaluation) =>
    (name: string) =>
      (evaluatorOptions(config)(name)?.baselineRunId ?? otherRunId) === otherRunId
  const withOther = newestOfEach(evaluations, (one) => namesIn(one).filter(isWithOther(one)))
  return new Map([...newestOfEach(evaluations, namesIn), ...withOther])
}

function namesIn({ config, evaluators }: RunEvaluation): string[] {
  return [...evaluators.keys(), ...(config.evaluators ?? []).map(({ name }) => name)]
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

type CasesQuery = {
  workspaceId: string
  run: ComparedRun
  /** Newest first. */
  evaluations: readonly RunEvaluation[]
  cases: RunCase[]
}

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
  { workspaceId, evaluations }: CasesQuery,
  found: Map<string, string>,
): Promise<void> {
  for (const { id: evaluationId } of evaluations) {
    const scope = { workspaceId, evaluationId }
    for await (const rows of readPages((page) => listEvaluatedItems(q, { ...scope, ...page }), BY_REF))
      for (const { ref, itemId } of rows) if (itemId !== null && !found.has(ref)) found.set(ref, itemId)
  }
}

const BY_SCORE_KEY = {
  first: { caseRef: '', evaluator: '', repetition: 0 },
  limit: 2_500,
  keyOf: ({ caseRef, evaluator, repetition }: ScoreKey): ScoreKey => ({ caseRef, evaluator, repetition }),
}

type ScoresQuery = Omit<CasesQuery, 'run'> & {
  /** Also receives the evaluators that only scores name. */
  evaluationOf: Map<string, string>
}

/** Reads the scores by evaluator, and what of each item they judged. Skipped scores are omitted. */
async function readScores(
  q: Queries,
  { workspaceId, evaluations, cases, evaluationOf }: ScoresQuery,
): Promise<Pick<RunData, 'scores' | 'itemHashes'>> {
  const scores = new Map<string, EvaluatorScores>()
  const itemHashes = new Map<string, Map<string, string>>()
  const findIndex = sequentialLookup(cases.map(({ ref }) => ref))
  for (const { id: evaluationId } of evaluations) {
    const except = [...evaluationOf].filter(([, id]) => id !== evaluationId).map(([name]) => name)
    const hashes = new Map<string, string>()
    itemHashes.set(evaluationId, hashes)
    const evaluators: EvaluatorScores[] = []
    const names: string[] = []
    let findEvaluator = sequentialLookup(names)
    let ref = ''
    let index = NOT_FOUND
    const scope = { workspaceId, evaluationId, except }
    for await (const rows of readPages((page) => listComparedScores(q, { ...scope, ...page }), BY_SCORE_KEY)) {
      for (const row of rows) {
        // One lookup per trace instead of one per score.
        if (row.caseRef !== ref) {
          ref = row.caseRef
          index = findIndex(ref)
        }
        addHash(hashes, cases[index]?.itemId, row.itemHash)
        if (index === NOT_FOUND || row.failed === null) continue
        let known = evaluators[findEvaluator(row.evaluator)]
        if (!known) {
          known = new EvaluatorScores(cases.length)
          evaluators.push(known)
          names.push(row.evaluator)
          scores.set(row.evaluator, known)
          evaluationOf.set(row.evaluator, evaluationId)
          findEvaluator = sequentialLookup([...names])
        }
        known.add(index, row)
      }
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
