import type { Queries } from '../../storage/db.ts'
import type { StoredResourceScope } from './build-span-row.ts'

/** Stores each resource scope once. `usedOn` is the day of its last use, so that unused resource scopes can be deleted. */
export async function insertResourceScopes(
  tx: Queries,
  {
    workspaceId,
    resourceScopes,
    usedOn,
  }: { workspaceId: string; resourceScopes: StoredResourceScope[]; usedOn: string },
): Promise<void> {
  // All transactions insert in the same order, so that they never deadlock.
  for (const { hash, resource, scope } of resourceScopes.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))) {
    await tx
      .insertInto('resource_scopes')
      .values({ workspace_id: workspaceId, hash, resource, scope, used_on: usedOn })
      .onConflict((own) => own.columns(['workspace_id', 'hash']).doUpdateSet({ used_on: usedOn }))
      .execute()
  }
}
