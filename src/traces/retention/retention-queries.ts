import type { Queries } from '../../storage/db.ts'
import { lockForUpdate } from '../../storage/dialect.ts'
import { deleteScoped, selectScoped } from '../../storage/query-building.ts'

const COLUMNS = [
  'days',
  'state',
  'traces_deleted as tracesDeleted',
  'traces_left as tracesLeft',
  'started_at as startedAt',
  'finished_at as finishedAt',
] as const

export async function findRetention(q: Queries, workspaceId: string) {
  return q.selectFrom('retention').select(COLUMNS).where('workspace_id', '=', workspaceId).executeTakeFirst()
}

/** Locks the retention until the transaction ends: a change of the number of days waits for the current chunk. */
export async function lockRetention(tx: Queries, workspaceId: string) {
  const query = tx.selectFrom('retention').select(COLUMNS).where('workspace_id', '=', workspaceId)
  return lockForUpdate(tx, query).executeTakeFirst()
}

export async function saveRetentionDays(tx: Queries, workspaceId: string, days: number | null): Promise<void> {
  await tx
    .insertInto('retention')
    .values({
      workspace_id: workspaceId,
      days,
      state: 'idle',
      traces_deleted: 0,
      traces_left: 0,
      started_at: null,
      finished_at: null,
    })
    .onConflict((own) => own.column('workspace_id').doUpdateSet({ days }))
    .execute()
}

type Progress = {
  state: 'idle' | 'clearing'
  traces_deleted: number
  traces_left: number
  started_at: string | null
  finished_at: string | null
}

export async function updateProgress(tx: Queries, workspaceId: string, progress: Partial<Progress>): Promise<void> {
  await tx.updateTable('retention').set(progress).where('workspace_id', '=', workspaceId).execute()
}

/** For housekeeping: the workspaces with a retention period. */
export async function listRetentionOfAnyWorkspace(q: Queries): Promise<{ workspaceId: string; days: number }[]> {
  return q
    .selectFrom('retention')
    .innerJoin('workspaces', 'workspaces.id', 'retention.workspace_id')
    .select(['retention.workspace_id as workspaceId', 'retention.days'])
    .where('workspaces.deleted_at', 'is', null)
    .where('retention.days', 'is not', null)
    .$narrowType<{ days: number }>()
    .execute()
}

/** Whether a clearing is pending or running. */
export async function hasClearingJob(q: Queries, workspaceId: string, kind: string): Promise<boolean> {
  const job = await selectScoped(q, 'jobs', { workspace_id: workspaceId, kind })
    .select('id')
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return job !== undefined
}

/** Deletes failed jobs: the next job starts from the beginning, and they would only accumulate. */
export async function deleteFailedClearingJobs(tx: Queries, workspaceId: string, kind: string): Promise<void> {
  await deleteScoped(tx, 'jobs', { workspace_id: workspaceId, kind, state: 'failed' }).execute()
}

/** Oldest first. Includes traces that are marked as deleted, because no other job may be left to delete them. */
export async function listTracesBefore(q: Queries, workspaceId: string, { id, limit }: { id: string; limit: number }) {
  return selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select(['id', 'span_count as spanCount'])
    .where('id', '<', id)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function countTracesBefore(q: Queries, workspaceId: string, id: string): Promise<number> {
  const { count } = await selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('id', '<', id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes the rollups of hours without traces. They contain only rounding errors of costs, and no tokens. */
export async function deleteEmptyRollups(tx: Queries, workspaceId: string): Promise<void> {
  await deleteScoped(tx, 'trace_rollups', { workspace_id: workspaceId, traces: 0, tokens: 0 }).execute()
  await deleteScoped(tx, 'trace_source_rollups', { workspace_id: workspaceId, traces: 0, tokens: 0 }).execute()
  await deleteScoped(tx, 'prompt_rollups', { workspace_id: workspaceId, traces: 0, uses: 0 }).execute()
}

/** Deletes resource scopes that were not used since that day. Returns how many were deleted; `limit` means that there may be more. */
export async function deleteUnusedResourceScopes(
  tx: Queries,
  workspaceId: string,
  { day, limit }: { day: string; limit: number },
): Promise<number> {
  const { numDeletedRows } = await deleteScoped(tx, 'resource_scopes', { workspace_id: workspaceId })
    .where('hash', 'in', (q) =>
      q
        .selectFrom('resource_scopes as unused')
        .select('unused.hash')
        .where('unused.workspace_id', '=', workspaceId)
        .where('unused.used_on', '<', day)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
