import { DEFAULT_SCHEME, type Rating } from '../evaluators/rating-scheme.ts'
import type { Queries } from '../storage/db.ts'

/** How the annotation workspace displays a rating. Null means the default color, or no key. */
type DisplayedRating = Rating & { color: string | null; key: string | null }
export type DisplayedScheme = { ratings: readonly DisplayedRating[]; ordered: boolean }

/** The scheme of the application, or the default scheme. */
export async function readRatingScheme(q: Queries, workspaceId: string): Promise<DisplayedScheme> {
  return (await findRatingScheme(q, workspaceId)) ?? displayed(DEFAULT_SCHEME)
}

/** Undefined if the application has no scheme. */
export async function findRatingScheme(q: Queries, workspaceId: string): Promise<DisplayedScheme | undefined> {
  const row = await q
    .selectFrom('rating_schemes')
    .select(['ratings', 'is_ordered'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  if (!row) return undefined
  const ratings: StoredRating[] = JSON.parse(row.ratings)
  return displayed({ ratings, ordered: row.is_ordered === 1 })
}

/** Schemes of earlier versions have neither colors nor keys. */
type StoredRating = Rating & { color?: string | null; key?: string | null }

function displayed({ ratings, ordered }: { ratings: readonly StoredRating[]; ordered: boolean }): DisplayedScheme {
  return { ratings: withKeys(ratings.map((rating) => ({ ...rating, color: rating.color ?? null }))), ordered }
}

export async function upsertRatingScheme(
  tx: Queries,
  { workspaceId, scheme, now }: { workspaceId: string; scheme: DisplayedScheme; now: string },
): Promise<void> {
  const values = { ratings: JSON.stringify(scheme.ratings), is_ordered: scheme.ordered ? 1 : 0, updated_at: now }
  await tx
    .insertInto('rating_schemes')
    .values({ workspace_id: workspaceId, ...values })
    .onConflict((own) => own.column('workspace_id').doUpdateSet(values))
    .execute()
}

/** The keys that choose a rating in the annotation workspace. */
export const RATING_KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

/** Assigns the free keys, in order, to ratings without one. Null means that the rating has no key on purpose. */
export function withKeys<R extends { key?: string | null | undefined }>(
  ratings: readonly R[],
): (R & { key: string | null })[] {
  const used = new Set(ratings.map(({ key }) => key))
  const free = RATING_KEYS.filter((key) => !used.has(key))
  return ratings.map((rating) => ({ ...rating, key: rating.key === undefined ? (free.shift() ?? null) : rating.key }))
}
