import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { prepared, selectScoped, updateScoped } from '../storage/query-building.ts'

export type Usage = { spans: number; evaluations: number; storedBytes: number }

export type UsageChange = Usage & { workspaceId: string; day: string }

/**
 * Adds to the usage of a workspace and returns the totals. The row stays locked until the end of the transaction, so that concurrent
 * requests see each other's usage; therefore it must be the last row that a transaction changes. Daily counts restart on a new day.
 */
export async function addUsage(tx: Queries, change: UsageChange): Promise<Usage> {
  const [row] = await upsertUsage(tx, change)
  return usageOf(row)
}

const upsertUsage = prepared<UsageChange>()((q, value) =>
  q
    .insertInto('workspace_usage')
    .values({
      workspace_id: value('workspaceId'),
      day: value('day'),
      spans: value('spans'),
      evaluations: value('evaluations'),
      stored_bytes: value('storedBytes'),
    })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({
        spans: sql<number>`excluded.spans + case when excluded.day > workspace_usage.day then 0 else workspace_usage.spans end`,
        evaluations: sql<number>`excluded.evaluations + case when excluded.day > workspace_usage.day then 0 else workspace_usage.evaluations end`,
        stored_bytes: sql<number>`excluded.stored_bytes + workspace_usage.stored_bytes`,
        day: sql<string>`case when excluded.day > workspace_usage.day then excluded.day else workspace_usage.day end`,
      }),
    )
    .returning(['spans', 'evaluations', 'stored_bytes']),
)

/**
 * For spans that were deleted or written again. Nothing is counted for a workspace that is gone. The row is locked until the end of the
 * transaction, as in `addUsage`.
 */
export async function changeStoredBytes(tx: Queries, workspaceId: string, by: number): Promise<void> {
  if (by === 0) return
  await updateScoped(tx, 'workspace_usage', { workspace_id: workspaceId })
    .set({ stored_bytes: sql<number>`case when stored_bytes + ${by} < 0 then 0 else stored_bytes + ${by} end` })
    .execute()
}

export async function findUsage(q: Queries, workspaceId: string, day: string): Promise<Usage> {
  const row = await selectScoped(q, 'workspace_usage', { workspace_id: workspaceId })
    .select(['day', 'spans', 'evaluations', 'stored_bytes'])
    .executeTakeFirst()
  const usage = usageOf(row)
  return row && row.day < day ? { ...usage, spans: 0, evaluations: 0 } : usage
}

type UsageRow = { spans: number; evaluations: number; stored_bytes: number }

function usageOf(row: UsageRow | undefined): Usage {
  return {
    spans: Number(row?.spans ?? 0),
    evaluations: Number(row?.evaluations ?? 0),
    storedBytes: Number(row?.stored_bytes ?? 0),
  }
}
