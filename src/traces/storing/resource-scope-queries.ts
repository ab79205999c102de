import type { Queries } from '../../storage/db.ts'
import type { StoredOrigin } from './build-span-row.ts'

/** Tells once who sends; `usedOn` is the day on which it was last seen, so that what nobody sends any more can be removed. */
export async function insertOrigins(
  tx: Queries,
  { workspaceId, origins, usedOn }: { workspaceId: string; origins: StoredOrigin[]; usedOn: string },
): Promise<void> {
  // In one order for all, so that two transactions never wait for each other.
  for (const { hash, resource, scope } of origins.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))) {
    await tx
      .insertInto('span_origins')
      .values({ workspace_id: workspaceId, hash, resource, scope, used_on: usedOn })
      .onConflict((own) => own.columns(['workspace_id', 'hash']).doUpdateSet({ used_on: usedOn }))
      .execute()
  }
}
