import type { Queries } from '../storage/db.ts'

/** Deletes the users, who exist for nothing else, and with them the rows that refer to them. */
export async function deleteExampleAuthors(tx: Queries, workspaceId: string): Promise<true> {
  await tx
    .deleteFrom('users')
    .where('id', 'in', (inner) =>
      inner.selectFrom('example_authors').select('user_id').where('workspace_id', '=', workspaceId),
    )
    .execute()
  return true
}
