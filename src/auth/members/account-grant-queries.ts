import type { Queries } from '../../storage/db.ts'
import { updateScoped } from '../../storage/query-building.ts'

/** The numbers of an account's API keys, open invitations and active shared links, of any workspace. */
export async function countGrantsOfAnyWorkspace(q: Queries, { userId, now }: { userId: string; now: string }) {
  return q
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('api_keys')
        .select(fn.countAll<number>().as('keys'))
        .where('created_by', '=', userId)
        .where('is_of_operator', '=', 0)
        .as('apiKeys'),
      selectFrom('invitations')
        .select(fn.countAll<number>().as('invitations'))
        .where('invited_by', '=', userId)
        .where('expires_at', '>', now)
        .as('invitations'),
      selectFrom('shared_links')
        .select(fn.countAll<number>().as('links'))
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .as('sharedLinks'),
    ])
    .executeTakeFirstOrThrow()
}

/** Returns the ids of the links that could still be used. */
export async function revokeSharedLinksOf(
  tx: Queries,
  { workspaceId, userId, now }: { workspaceId: string; userId: string; now: string },
): Promise<string[]> {
  const links = await updateScoped(tx, 'shared_links', { workspace_id: workspaceId, user_id: userId })
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .execute()
  return links.map(({ id }) => id)
}
