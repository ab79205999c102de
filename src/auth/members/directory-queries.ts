import { sql } from 'kysely'
import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { listPage } from '../../storage/list-page.ts'
import { selectScoped } from '../../storage/query-building.ts'

/** Everyone who may be the author of something in the workspace. A former member who has returned is a member. */
export async function listDirectory(q: Queries, workspaceId: string, page: Page) {
  const ids = selectScoped(q, 'members', { workspace_id: workspaceId })
    .select(['user_id', sql<string>`'member'`.as('state')])
    .unionAll(
      q
        .selectFrom('former_members as f')
        .select(['f.user_id', sql<string>`'former'`.as('state')])
        .where('f.workspace_id', '=', workspaceId)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('members as m')
                .select('m.user_id')
                .whereRef('m.workspace_id', '=', 'f.workspace_id')
                .whereRef('m.user_id', '=', 'f.user_id'),
            ),
          ),
        ),
    )
    .unionAll(
      q
        .selectFrom('example_authors')
        .select(['user_id', sql<string>`'example'`.as('state')])
        .where('workspace_id', '=', workspaceId),
    )
  const people = q
    .selectFrom(ids.as('d'))
    .innerJoin('users as u', 'u.id', 'd.user_id')
    .leftJoin('members as own', (join) =>
      join.on('own.workspace_id', '=', workspaceId).onRef('own.user_id', '=', 'd.user_id'),
    )
    .select(['u.id as userId', 'u.name', 'd.state'])
    // Whose account is disabled can do nothing of what the role allows.
    .select(({ eb, ref }) => eb.case().when('u.disabled_at', 'is', null).then(ref('own.role')).end().as('role'))
    .orderBy('u.id', 'desc')
  return listPage(q, people, page)
}
