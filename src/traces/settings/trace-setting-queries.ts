import type { Queries } from '../../storage/db.ts'
import { lockForNaming } from '../../storage/dialect.ts'

/** Whether traces create the components that they name. */
export async function createsComponents(q: Queries, workspaceId: string): Promise<boolean> {
  return (await activeSetting(q, workspaceId).executeTakeFirst()) !== undefined
}

/**
 * The same, for find-or-create of components by name: serializes concurrent callers. Locks nothing where the setting is off. The row of
 * the workspace cannot serve as the lock, because each batch holds it in share mode already: two batches would wait for each other.
 */
export async function lockForCreatingComponents(tx: Queries, workspaceId: string): Promise<boolean> {
  return (await lockForNaming(tx, activeSetting(tx, workspaceId)).executeTakeFirst()) !== undefined
}

function activeSetting(q: Queries, workspaceId: string) {
  return q
    .selectFrom('trace_settings')
    .select('workspace_id')
    .where('workspace_id', '=', workspaceId)
    .where('creates_components', '=', 1)
}

export async function saveCreatesComponents(tx: Queries, workspaceId: string, isOn: boolean): Promise<void> {
  const setting = { creates_components: isOn ? 1 : 0 }
  await tx
    .insertInto('trace_settings')
    .values({ workspace_id: workspaceId, ...setting })
    .onConflict((known) => known.column('workspace_id').doUpdateSet(setting))
    .execute()
}
