import { chunksOf } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { selectScoped, updateScoped } from '../storage/query-building.ts'

const IDS_PER_STATEMENT = 500

/** The content hashes of stored traces that were sent as JSON; empty for traces that arrived another way. */
export async function findNativeHashes(
  q: Queries,
  workspaceId: string,
  traceIds: readonly string[],
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const chunk of chunksOf(traceIds, IDS_PER_STATEMENT)) {
    const rows = await selectScoped(q, 'traces', { workspace_id: workspaceId })
      .select(['trace_id', 'native_hash'])
      .where(inList(q, 'trace_id', chunk))
      .where('deleted_at', 'is', null)
      .execute()
    for (const { trace_id, native_hash } of rows) hashes.set(trace_id, native_hash ?? '')
  }
  return hashes
}

export async function updateNativeHash(
  tx: Queries,
  { workspaceId, id, hash }: { workspaceId: string; id: string; hash: string },
): Promise<void> {
  await updateScoped(tx, 'traces', { workspace_id: workspaceId, id }).set({ native_hash: hash }).execute()
}
