import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { withoutIndex } from '../storage/dialect.ts'
import { insertNewRows } from '../storage/insert-rows.ts'
import { updateRows } from '../storage/update-rows.ts'

/** Names a case: the trace of a run, as the client named it, or the id of an item. */
export type CaseKey = { ref: string; itemId: string | null; traceRef: string | null }

export type EvaluationScope = { workspaceId: string; evaluationId: string }

/** The key of a score, which is what makes running a case twice harmless. */
export type ScoreKey = { caseRef: string; evaluator: string; repetition: number }

export const OPEN_STATES = ['queued', 'running', 'retrying'] as const
const KEY_COLUMNS = ['workspace_id', 'evaluation_id', 'case_ref', 'evaluator', 'repetition'] as const

export type PendingScore = ScoreKey & { itemId: string | null; traceRef: string | null; attempts: number }

/** A score with nothing left to do for it. */
export type ScoreResult = ScoreKey & {
  state: 'scored' | 'failed' | 'skipped'
  itemId: string | null
  attempts: number
  score: number | null
  label: string | null
  passed: boolean | null
  /** Why this score, or why none. */
  reason: string | null
  details: string | null
  costUsd: number | null
}

/** Lays out the scores of some cases; answers how many are new. What is there already stays as it is. */
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
 * The next scores of these evaluators that are to be made, as many as are asked for; of the last case there may be others. Found along
 * the key, and not by state: there may be a hundred thousand open ones, which would have to be sorted for every page.
 */
export async function listOpenScores(
  q: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  { after, limit, evaluators }: { after: string; limit: number; evaluators: readonly string[] },
): Promise<PendingScore[]> {
  if (evaluators.length === 0) return []
  return q
    .selectFrom('evaluation_scores')
    .select([
      'case_ref as caseRef',
      'evaluator',
      'repetition',
      'item_id as itemId',
      'trace_ref as traceRef',
      'attempts',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('case_ref', '>', after)
    .where(withoutIndex(q, 'state'), 'in', OPEN_STATES)
    .where(withoutIndex(q, 'evaluator'), 'in', evaluators)
    .orderBy('case_ref')
    .orderBy('evaluator')
    .orderBy('repetition')
    .limit(limit)
    .execute()
}

/** Shows what is happening to a score that is being made. */
export async function markScores(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  scores: readonly (ScoreKey & { state: 'running' | 'retrying'; attempts: number; reason: string | null })[],
): Promise<void> {
  await updateRows(tx, {
    table: 'evaluation_scores',
    key: KEY_COLUMNS,
    values: ['state', 'attempts', 'reason'],
    only: { column: 'state', words: OPEN_STATES },
    rows: scores.map(({ caseRef, evaluator, repetition, state, attempts, reason }) => {
      return [workspaceId, evaluationId, caseRef, evaluator, repetition, state, attempts, reason]
    }),
  })
}

export type ModelSpend = { calls: number; costUsd: number }

/**
 * Ends scores and counts them into the evaluation's progress, in one transaction. One that has ended already changes nothing and is
 * not counted again: that is what makes a repeated page, after a takeover, harmless.
 */
export async function saveScoreResults(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  { scores, spent, now }: { scores: readonly ScoreResult[]; spent: ModelSpend; now: string },
): Promise<void> {
  const isUpdated = await updateRows(tx, {
    table: 'evaluation_scores',
    key: KEY_COLUMNS,
    values: ['state', 'item_id', 'attempts', 'score', 'label', 'passed', 'reason', 'details', 'cost_usd'],
    only: { column: 'state', words: OPEN_STATES },
    rows: scores.map(({ caseRef, evaluator, repetition, state, itemId, attempts, score, label, passed, ...result }) => {
      const verdict = [
        score,
        label,
        passed === null ? null : Number(passed),
        result.reason,
        result.details,
        result.costUsd,
      ]
      return [workspaceId, evaluationId, caseRef, evaluator, repetition, state, itemId, attempts, ...verdict]
    }),
  })
  const updated = scores.filter((_, index) => isUpdated[index])
  const count = (state: ScoreResult['state']) => updated.filter((score) => score.state === state).length
  const firstError = updated.find(({ state }) => state === 'failed')?.reason ?? null
  await tx
    .updateTable('evaluations')
    .set(({ eb, fn, val }) => ({
      cases_done: eb('cases_done', '+', count('scored')),
      cases_failed: eb('cases_failed', '+', count('failed')),
      cases_skipped: eb('cases_skipped', '+', count('skipped')),
      model_calls: eb('model_calls', '+', spent.calls),
      spent_usd: eb('spent_usd', '+', spent.costUsd),
      first_error: fn.coalesce('first_error', val(firstError)),
      updated_at: now,
    }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .execute()
}

/** For whoever has lost the job: what was paid is counted, and nothing else of an evaluation that may have ended changes. */
export async function addModelSpend(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  { calls, costUsd }: ModelSpend,
): Promise<void> {
  await tx
    .updateTable('evaluations')
    .set(({ eb }) => ({ model_calls: eb('model_calls', '+', calls), spent_usd: eb('spent_usd', '+', costUsd) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .execute()
}

/** A page of what one evaluator said, in the order of the cases. */
export async function listEvaluatorScores(
  q: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  { evaluator, after, limit, withDetails }: { evaluator: string; after: ScoreKey; limit: number; withDetails: boolean },
) {
  return q
    .selectFrom('evaluation_scores')
    .select(['case_ref as caseRef', 'repetition', 'item_id as itemId', 'score', 'label', 'passed'])
    .select((withDetails ? sql.ref('details') : sql.lit(null)).$castTo<string | null>().as('details'))
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('evaluator', '=', evaluator)
    .where('state', '=', 'scored')
    .where('case_ref', '>=', after.caseRef)
    .where(({ eb, or }) => or([eb('case_ref', '>', after.caseRef), eb('repetition', '>', after.repetition)]))
    .orderBy('case_ref')
    .orderBy('repetition')
    .limit(limit)
    .execute()
}

export async function countByState(q: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  const rows = await q
    .selectFrom('evaluation_scores')
    .select(['evaluator', 'state', sql<number>`count(*)`.as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .groupBy(['evaluator', 'state'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** Whether several cases are of one item, as when a run has passed over its dataset more than once. */
export async function hasRepeatedItems(
  q: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  evaluator: string,
): Promise<boolean> {
  const { cases, items } = await q
    .selectFrom('evaluation_scores')
    .select([sql<number>`count(*)`.as('cases'), sql<number>`count(distinct item_id)`.as('items')])
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('evaluator', '=', evaluator)
    .where('repetition', '=', 1)
    .where('item_id', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(items) < Number(cases)
}

/** Scores for which something was asked whose price nobody knows. */
export async function countUnpriced(
  q: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  evaluators: readonly string[],
): Promise<number> {
  if (evaluators.length === 0) return 0
  const { count } = await q
    .selectFrom('evaluation_scores')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('evaluator', 'in', evaluators)
    .where('state', 'in', ['scored', 'failed'])
    .where('attempts', '>', 0)
    .where('cost_usd', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Why cases did not get a score: the most frequent reasons. */
export async function listReasons(q: Queries, { workspaceId, evaluationId }: EvaluationScope, limit: number) {
  const rows = await q
    .selectFrom('evaluation_scores')
    .select(['reason', sql<number>`count(*)`.as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('state', 'in', ['failed', 'skipped'])
    .groupBy('reason')
    .orderBy('count', 'desc')
    .orderBy('reason')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}
