import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { listPage } from '../../storage/list-page.ts'

/** Two runs in the order of their ids. */
export type RunPair = { workspaceId: string; firstRunId: string; secondRunId: string }

export type StoredPreference = {
  itemId: string
  repetition: number
  userId: string
  better: 'first' | 'second' | 'same'
  shownLeft: 'first' | 'second'
  isSideDrawn: boolean
  updatedAt: string
}

/** There is one preference per pair of answers and user. */
export async function upsertPreference(
  tx: Queries,
  { workspaceId, firstRunId, secondRunId }: RunPair,
  { itemId, repetition, userId, better, shownLeft, isSideDrawn, updatedAt }: StoredPreference,
): Promise<void> {
  const values = { better, shown_left: shownLeft, is_side_drawn: Number(isSideDrawn), updated_at: updatedAt }
  await tx
    .insertInto('comparison_preferences')
    .values({
      workspace_id: workspaceId,
      first_run_id: firstRunId,
      second_run_id: secondRunId,
      item_id: itemId,
      repetition,
      user_id: userId,
      created_at: updatedAt,
      ...values,
    })
    .onConflict((own) =>
      own
        .columns(['workspace_id', 'first_run_id', 'second_run_id', 'item_id', 'repetition', 'user_id'])
        .doUpdateSet(values),
    )
    .execute()
}

/** In the order of items, repetitions and users, which a change of a preference does not move. */
export async function listPreferences(q: Queries, pair: RunPair, { userId, ...page }: { userId?: string } & Page) {
  const all = preferencesOf(q, pair)
    .select(['item_id as itemId', 'repetition', 'user_id as userId', 'better', 'shown_left as shownLeft'])
    .select(['is_side_drawn as isSideDrawn', 'updated_at as updatedAt'])
    .orderBy('item_id')
    .orderBy('repetition')
    .orderBy('user_id')
  const { rows, ...extent } = await listPage(q, userId === undefined ? all : all.where('user_id', '=', userId), page)
  return { rows: rows.map((row) => ({ ...row, isSideDrawn: row.isSideDrawn === 1 })), ...extent }
}

/** How often each side was preferred, by item, by the side that was shown left and by whether the server drew it. */
export async function countPreferences(q: Queries, pair: RunPair) {
  const rows = await preferencesOf(q, pair)
    .select(['item_id as itemId', 'better', 'shown_left as shownLeft', 'is_side_drawn as isSideDrawn'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy(['item_id', 'better', 'shown_left', 'is_side_drawn'])
    .orderBy('item_id')
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export async function countPreferenceRaters(q: Queries, pair: RunPair): Promise<number> {
  const { count } = await preferencesOf(q, pair)
    .select(({ fn }) => fn.count<number>('user_id').distinct().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function preferencesOf(q: Queries, { workspaceId, firstRunId, secondRunId }: RunPair) {
  return q
    .selectFrom('comparison_preferences')
    .where('workspace_id', '=', workspaceId)
    .where('first_run_id', '=', firstRunId)
    .where('second_run_id', '=', secondRunId)
}
