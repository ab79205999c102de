import { DEFAULT_SCHEME, type Rating, type RatingScheme } from '../evaluators/rating-scheme.ts'
import type { Queries } from '../storage/db.ts'

/** The scheme of the application, or the default scheme. */
export async function readRatingScheme(q: Queries, workspaceId: string): Promise<RatingScheme> {
  return (await findRatingScheme(q, workspaceId)) ?? DEFAULT_SCHEME
}

/** Undefined if the application has no scheme. */
export async function findRatingScheme(q: Queries, workspaceId: string): Promise<RatingScheme | undefined> {
  const row = await q
    .selectFrom('rating_schemes')
    .select(['ratings', 'is_ordered'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  if (!row) return undefined
  const ratings: Rating[] = JSON.parse(row.ratings)
  return { ratings, ordered: row.is_ordered === 1 }
}

export async function upsertRatingScheme(
  tx: Queries,
  { workspaceId, scheme, now }: { workspaceId: string; scheme: RatingScheme; now: string },
): Promise<void> {
  const values = { ratings: JSON.stringify(scheme.ratings), is_ordered: scheme.ordered ? 1 : 0, updated_at: now }
  await tx
    .insertInto('rating_schemes')
    .values({ workspace_id: workspaceId, ...values })
    .onConflict((own) => own.column('workspace_id').doUpdateSet(values))
    .execute()
}
