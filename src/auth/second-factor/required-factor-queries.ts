/** Applications that require a second factor of their members. */
import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'

/**
 * 1 if the user `u` has a password and no second factor. Users without a password sign in with a provider, which decides about their factors;
 * the placeholder user of the first start cannot sign in at all.
 */
const LACKS_FACTOR = sql<number>`case when u.two_factor_enabled = 0 and exists
  (select 1 from accounts as a where a.user_id = u.id and a.provider_id = 'credential') then 1 else 0 end`

/** The same, only if the workspace `w` requires a second factor. */
export const LACKS_REQUIRED_FACTOR = sql<number>`case when w.requires_second_factor = 1 then ${LACKS_FACTOR} else 0 end`

/** The state of the user `u` for admins; null for the placeholder user. */
export const FACTOR_STATE = sql<'on' | 'off' | 'provider' | null>`case when u.two_factor_enabled = 1 then 'on'
  when ${LACKS_FACTOR} = 1 then 'off'
  when exists (select 1 from accounts as a where a.user_id = u.id) then 'provider' end`

export async function lacksFactor(q: Queries, userId: string): Promise<boolean> {
  const user = await q
    .selectFrom('users as u')
    .select(LACKS_FACTOR.as('lacks'))
    .where('u.id', '=', userId)
    .executeTakeFirst()
  return user?.lacks === 1
}

/** Whether the workspace requires a second factor, and how many of its members have none. */
export async function findFactorRequirement(q: Queries, workspaceId: string) {
  const { required, without } = await q
    .selectFrom('workspaces as w')
    .innerJoin('members as m', 'm.workspace_id', 'w.id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(({ fn }) => [
      fn.max('w.requires_second_factor').as('required'),
      fn.sum<string | number>(LACKS_FACTOR).as('without'),
    ])
    .where('w.id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return { requiresSecondFactor: required === 1, membersWithoutSecondFactor: Number(without) }
}

export async function updateFactorRequirement(tx: Queries, workspaceId: string, isRequired: boolean): Promise<void> {
  await tx
    .updateTable('workspaces')
    .set({ requires_second_factor: isRequired ? 1 : 0 })
    .where('id', '=', workspaceId)
    .execute()
}

/** The name of an application of the user that requires a second factor. */
export async function findRequiringApplication(q: Queries, userId: string): Promise<string | undefined> {
  const found = await q
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .select('w.name')
    .where('m.user_id', '=', userId)
    .where('w.requires_second_factor', '=', 1)
    .where('w.deleted_at', 'is', null)
    .orderBy('w.name')
    .executeTakeFirst()
  return found?.name
}
