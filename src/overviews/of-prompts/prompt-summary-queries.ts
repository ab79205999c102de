import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import type { KeysetPage } from '../keyset-page.ts'

type Listed = KeysetPage & { workspaceId: string; componentId: string; promptId: string | undefined }

/** Prompts with the number of their newest version that exists, newest prompt first. One more than the limit. */
export async function listPromptsAfter(q: Queries, { workspaceId, componentId, promptId, after, limit }: Listed) {
  let prompts = q
    .selectFrom('prompts as p')
    .select(['p.id', 'p.name', 'p.description', 'p.created_at as createdAt', 'p.updated_at as updatedAt'])
    .select(
      sql<number | null>`(select max(v.number) from prompt_versions as v where v.workspace_id = p.workspace_id
        and v.prompt_id = p.id and v.deleted_at is null)`.as('newestNumber'),
    )
    .where('p.workspace_id', '=', workspaceId)
    .where('p.component_id', '=', componentId)
    .where('p.deleted_at', 'is', null)
  if (promptId !== undefined) prompts = prompts.where('p.id', '=', promptId)
  if (after !== undefined) prompts = prompts.where('p.id', '<', after)
  return prompts
    .orderBy('p.id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** Those of these numbers that prompts have, without their contents, also deleted ones. */
export async function listVersionsNumbered(
  q: Queries,
  workspaceId: string,
  wanted: readonly { promptId: string; number: number }[],
) {
  if (wanted.length === 0) return []
  const rows = await q
    .selectFrom('prompt_versions as v')
    .leftJoin('users as u', 'u.id', 'v.created_by')
    .select(['v.prompt_id as promptId', 'v.number', 'v.note', 'v.created_at as createdAt'])
    .select(['v.created_by as userId', 'u.name as userName', 'v.deleted_at as deletedAt'])
    .where('v.workspace_id', '=', workspaceId)
    .where('v.prompt_id', 'in', [...new Set(wanted.map(({ promptId }) => promptId))])
    .where('v.number', 'in', [...new Set(wanted.map(({ number }) => number))])
    .orderBy('v.number', 'desc')
    .execute()
  const keys = new Set(wanted.map(({ promptId, number }) => `${promptId} ${number}`))
  return rows.filter(({ promptId, number }) => keys.has(`${promptId} ${number}`))
}
