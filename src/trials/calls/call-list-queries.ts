/** What users read of the calls of a trial. */
import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { selectScoped } from '../../storage/query-building.ts'
import type { TrialScope } from '../trial-queries.ts'
import { CALL_COLUMNS, type CallRow, ofTrial, toCall } from './call-queries.ts'

/** A literal, as in the condition of the index. */
const FAILED = sql<boolean>`state = 'failed'`

/** In the order of their numbers. One more than the limit, to find out whether there are more. */
export async function listCalls(
  q: Queries,
  of: TrialScope,
  { state, variant, after, limit }: { state?: CallRow['state']; variant?: number; after: number; limit: number },
): Promise<CallRow[]> {
  let calls = ofTrial(q, of)
    .select(CALL_COLUMNS)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit + 1)
  if (state === 'failed') calls = calls.where(FAILED)
  else if (state) calls = calls.where('state', '=', state)
  if (variant !== undefined) calls = calls.where('variant', '=', variant)
  return (await calls.execute()).map(toCall)
}

export async function findCall(
  q: Queries,
  { number, ...of }: TrialScope & { number: number },
): Promise<CallRow | undefined> {
  const call = await ofTrial(q, of).select(CALL_COLUMNS).where('number', '=', number).executeTakeFirst()
  return call && toCall(call)
}

/** In milliseconds, of the calls of a variant that are done. */
export async function listDurations(q: Queries, of: TrialScope, variant: number): Promise<number[]> {
  const rows = await ofTrial(q, of)
    .select('duration_ms')
    .where('variant', '=', variant)
    .where('state', '=', 'done')
    .where('duration_ms', 'is not', null)
    .execute()
  return rows.map(({ duration_ms }) => Number(duration_ms))
}

/** In milliseconds, of calls that are done in the newest trial of the component that has some. */
export async function listRecentDurations(
  q: Queries,
  { workspaceId, componentId, limit }: { workspaceId: string; componentId: string; limit: number },
): Promise<number[]> {
  const newest = await selectScoped(q, 'trials', { workspace_id: workspaceId, component_id: componentId })
    .select('id')
    .where('status', '=', 'completed')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!newest) return []
  const rows = await selectScoped(q, 'trial_calls', { workspace_id: workspaceId, trial_id: newest.id, state: 'done' })
    .select('duration_ms')
    .where('duration_ms', 'is not', null)
    .orderBy('number')
    .limit(limit)
    .execute()
  return rows.map(({ duration_ms }) => Number(duration_ms))
}

export type FailureGroup = { variant: number; reason: string; isRetryable: boolean; calls: number }

/** Failed calls by variant and reason, the most frequent first. */
export async function listFailures(q: Queries, of: TrialScope, limit: number): Promise<FailureGroup[]> {
  const rows = await ofTrial(q, of)
    .select(({ fn }) => ['variant', 'reason', 'is_retryable as isRetryable', fn.countAll<number>().as('calls')])
    .where(FAILED)
    .groupBy(['variant', 'reason', 'is_retryable'])
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy('variant')
    .orderBy('reason')
    .limit(limit)
    .execute()
  return rows.map(({ variant, reason, isRetryable, calls }) => ({
    variant,
    reason: reason ?? '',
    isRetryable: isRetryable === 1,
    calls: Number(calls),
  }))
}
