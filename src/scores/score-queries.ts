import { sql } from 'kysely'
import type { Failure } from '../base/thread-failure.ts'
import type { Split } from '../datasets/splits/split.ts'
import type { Verdict } from '../evaluators/evaluator.ts'
import type { Queries } from '../storage/db.ts'
import { withoutIndex } from '../storage/dialect.ts'
import { insertNewRows } from '../storage/insert-rows.ts'
import { selectScoped } from '../storage/query-building.ts'
import { updateRows } from '../storage/update-rows.ts'

/** Identifies a case: the trace of a run, by the reference of the client, or the id of an item. */
export type CaseKey = { ref: string; itemId: string | null; traceRef: string | null }

export type EvaluationScope = { workspaceId: string; evaluationId: string }

export function scoresOf(q: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  return selectScoped(q, 'evaluation_scores', { workspace_id: workspaceId, evaluation_id: evaluationId })
}

export function updateEvaluation(tx: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  return tx.updateTable('evaluations').where('workspace_id', '=', workspaceId).where('id', '=', evaluationId)
}

/** The key of a score. It makes repeated scoring of a case idempotent. */
export type ScoreKey = { caseRef: string; evaluator: string; repetition: number }

export const PENDING_STATES = ['queued', 'running', 'retrying'] as const

export function isPending(state: string): boolean {
  return PENDING_STATES.some((pending) => pending === state)
}

const KEY_COLUMNS = ['workspace_id', 'evaluation_id', 'case_ref', 'evaluator', 'repetition'] as const

export type PendingScore = ScoreKey & { itemId: string | null; traceRef: string | null; attempts: number }

/** The final result of a score. */
export type ScoreResult = ScoreKey & {
  itemId: string | null
  itemHash: string | null
  attempts: number
  verdict: Verdict
  costUsd: number | null
  /** The unexpected error of the evaluator, for the log. It is not stored. */
  failure?: Failure
}

/** Inserts the queued scores of some cases and returns the number of new rows. Existing rows are not changed. */
export async function insertQueuedScores(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  {
    cases,
    evaluators,
    now,
  }: { cases: readonly CaseKey[]; evaluators: readonly { name: string; repetitions: number }[]; now: string },
): Promise<number> {
  const rows = cases.flatMap(({ ref, itemId, traceRef }) =>
    evaluators.flatMap(({ name, repetitions }) =>
      Array.from({ length: repetitions }, (_, index) => {
        return [workspaceId, evaluationId, ref, name, index + 1, 'queued', itemId, traceRef, 0, now]
      }),
    ),
  )
  const columns = [...KEY_COLUMNS, 'state', 'item_id', 'trace_ref', 'attempts', 'created_at'] as const
  const isNew = await insertNewRows(tx, { table: 'evaluation_scores', columns, rows }, [
    'case_ref',
    'evaluator',
    'repetition',
  ])
  return isNew.filter(Boolean).length
}

/**
 * Returns the next pending scores of these evaluators, at most `limit`; the last case may be incomplete. Scans the
 * primary key instead of the state index: there may be a hundred thousand pending scores, and each page would have to
 * sort them.
 */
export async function listPendingScores(
  q: Queries,
  of: EvaluationScope,
  { after, limit, evaluators }: { after: string; limit: number; evaluators: readonly string[] },
): Promise<PendingScore[]> {
  if (evaluators.length === 0) return []
  return scoresOf(q, of)
    .select([
      'case_ref as caseRef',
      'evaluator',
      'repetition',
      'item_id as itemId',
      'trace_ref as traceRef',
      'attempts',
    ])
    .where('case_ref', '>', after)
    .where(withoutIndex(q, 'state'), 'in', PENDING_STATES)
    .where(withoutIndex(q, 'evaluator'), 'in', evaluators)
    .orderBy('case_ref')
    .orderBy('evaluator')
    .orderBy('repetition')
    .limit(limit)
    .execute()
}

/** Updates the state of scores that are in progress. */
export async function markScores(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  scores: readonly (ScoreKey & { state: 'running' | 'retrying'; attempts: number; reason: string | null })[],
): Promise<void> {
  await updateRows(tx, {
    table: 'evaluation_scores',
    key: KEY_COLUMNS,
    values: ['state', 'attempts', 'reason'],
    only: { column: 'state', words: PENDING_STATES },
    rows: scores.map(({ caseRef, evaluator, repetition, state, attempts, reason }) => {
      return [workspaceId, evaluationId, caseRef, evaluator, repetition, state, attempts, reason]
    }),
  })
}

export type ModelSpend = { calls: number; costUsd: number; tokens: number }

type SavedScores = {
  scores: readonly ScoreResult[]
  spent: ModelSpend
  now: string
  /** Set if a client has delivered them: how often the evaluation was retried before. */
  deliveredIn?: number
}

/**
 * Stores final scores and updates the progress of the evaluation in one transaction. A score that is already final is
 * not changed or counted again, so that repeating a page after a takeover is safe.
 */
export async function saveScoreResults(
  tx: Queries,
  of: EvaluationScope,
  { scores, spent, now, deliveredIn }: SavedScores,
): Promise<void> {
  const delivered = deliveredIn === undefined ? [] : (['delivered_in'] as const)
  const isUpdated = await updateRows(tx, {
    table: 'evaluation_scores',
    key: KEY_COLUMNS,
    values: [
      'state',
      'item_id',
      'item_hash',
      'attempts',
      'score',
      'label',
      'passed',
      'reason',
      'details',
      'cost_usd',
      ...delivered,
    ],
    only: { column: 'state', words: PENDING_STATES },
    rows: scores.map(({ caseRef, evaluator, repetition, itemId, itemHash, attempts, verdict, costUsd }) => {
      const key = [of.workspaceId, of.evaluationId, caseRef, evaluator, repetition]
      const values = [verdict.state, itemId, itemHash, attempts, ...verdictColumns(verdict), costUsd]
      return [...key, ...values, ...(deliveredIn === undefined ? [] : [deliveredIn])]
    }),
  })
  const updated = scores.filter((_, index) => isUpdated[index])
  const count = (state: Verdict['state']) => updated.filter(({ verdict }) => verdict.state === state).length
  const firstError = updated.find(({ verdict }) => verdict.state === 'failed')?.verdict.reason ?? null
  await updateEvaluation(tx, of)
    .set(({ eb, fn, val }) => ({
      cases_done: eb('cases_done', '+', count('scored')),
      cases_failed: eb('cases_failed', '+', count('failed')),
      cases_skipped: eb('cases_skipped', '+', count('skipped')),
      model_calls: eb('model_calls', '+', spent.calls),
      spent_usd: eb('spent_usd', '+', spent.costUsd),
      tokens_used: eb('tokens_used', '+', spent.tokens),
      first_error: fn.coalesce('first_error', val(firstError)),
      updated_at: now,
    }))
    .execute()
}

type VerdictColumns = [
  score: number | null,
  label: string | null,
  passed: number | null,
  reason: string | null,
  details: string | null,
]

export function verdictColumns(verdict: Verdict): VerdictColumns {
  if (verdict.state !== 'scored') return [null, null, null, verdict.reason, null]
  const { score, label = null, passed, reason = null, details } = verdict
  return [score, label, passed === undefined ? null : Number(passed), reason, details ? JSON.stringify(details) : null]
}

/**
 * For a worker that has lost its job: adds the model cost and changes nothing else, because the evaluation may be
 * final.
 */
export async function addModelSpend(
  tx: Queries,
  of: EvaluationScope,
  { calls, costUsd, tokens }: ModelSpend,
): Promise<void> {
  await updateEvaluation(tx, of)
    .set(({ eb }) => ({
      model_calls: eb('model_calls', '+', calls),
      spent_usd: eb('spent_usd', '+', costUsd),
      tokens_used: eb('tokens_used', '+', tokens),
    }))
    .execute()
}

/** A page of the scores of one evaluator, ordered by case. */
export async function listEvaluatorScores(
  q: Queries,
  of: EvaluationScope,
  { evaluator, after, limit, withDetails }: { evaluator: string; after: ScoreKey; limit: number; withDetails: boolean },
) {
  return scoresOf(q, of)
    .select(['case_ref as caseRef', 'repetition', 'item_id as itemId', 'score', 'label', 'passed'])
    .select((withDetails ? sql.ref('details') : sql.lit(null)).$castTo<string | null>().as('details'))
    .where('evaluator', '=', evaluator)
    .where('state', '=', 'scored')
    .where('case_ref', '>=', after.caseRef)
    .where(({ eb, or }) => or([eb('case_ref', '>', after.caseRef), eb('repetition', '>', after.repetition)]))
    .orderBy('case_ref')
    .orderBy('repetition')
    .limit(limit)
    .execute()
}

export async function countByState(q: Queries, of: EvaluationScope) {
  const rows = await scoresOf(q, of)
    .select(['evaluator', 'state', sql<number>`count(*)`.as('count')])
    .groupBy(['evaluator', 'state'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** True if several cases belong to one item, for example if the run processed its dataset more than once. */
export async function hasRepeatedItems(q: Queries, of: EvaluationScope, evaluator: string): Promise<boolean> {
  const { cases, items } = await scoresOf(q, of)
    .select([sql<number>`count(*)`.as('cases'), sql<number>`count(distinct item_id)`.as('items')])
    .where('evaluator', '=', evaluator)
    .where('repetition', '=', 1)
    .where('item_id', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(items) < Number(cases)
}

/** The number of items of a dataset that no case of an evaluation of a run belongs to: the run did not answer them. */
export async function countItemsWithoutCase(
  q: Queries,
  of: EvaluationScope,
  { datasetId, evaluator, split }: { datasetId: string; evaluator: string; split?: Split | undefined },
): Promise<number> {
  const answered = scoresOf(q, of).select('item_id').where('evaluator', '=', evaluator).where('item_id', 'is not', null)
  const unanswered = selectScoped(q, 'dataset_items', { workspace_id: of.workspaceId, dataset_id: datasetId })
    .select(sql<number>`count(*)`.as('count'))
    .where('id', 'not in', answered.$castTo<{ item_id: string }>())
  const { count } = await (split === undefined
    ? unanswered
    : unanswered.where('split', '=', split)
  ).executeTakeFirstOrThrow()
  return Number(count)
}

/** The number of scores with model calls of unknown price. */
export async function countUnpriced(q: Queries, of: EvaluationScope, evaluators: readonly string[]): Promise<number> {
  if (evaluators.length === 0) return 0
  const { count } = await scoresOf(q, of)
    .select(sql<number>`count(*)`.as('count'))
    .where('evaluator', 'in', evaluators)
    .where('state', 'in', ['scored', 'failed'])
    .where('attempts', '>', 0)
    .where('cost_usd', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The most frequent reasons for missing scores. */
export async function listReasons(q: Queries, of: EvaluationScope, limit: number) {
  const rows = await scoresOf(q, of)
    .select(['reason', sql<number>`count(*)`.as('count')])
    .where('state', 'in', ['failed', 'skipped'])
    .groupBy('reason')
    .orderBy('count', 'desc')
    .orderBy('reason')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}
