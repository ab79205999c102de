import type { Queries } from '../../storage/db.ts'
import type { StoredOrigin } from './build-span-row.ts'

/** Stores each origin once. `usedOn` is the day of its last use, so that unused origins can be deleted. */
export async function insertOrigins(
  tx: Queries,
  { workspaceId, origins, usedOn }: { workspaceId: string; origins: StoredOrigin[]; usedOn: string },
): Promise<void> {
  // All transactions insert in the same order, so that they never deadlock.
  for (const { hash, resource, scope } of origins.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))) {
    await tx
      .insertInto('span_origins')
      .values({ workspace_id: workspaceId, hash, resource, scope, used_on: usedOn })
      .onConflict((own) => own.columns(['workspace_id', 'hash']).doUpdateSet({ used_on: usedOn }))
      .execute()
  }
}
