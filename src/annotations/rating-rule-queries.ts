/** Which ratings are allowed: the rating scheme of an application, and the annotation policy of a run, which may restrict it. */
import { DEFAULT_SCHEME, type Rating } from '../evaluators/rating-scheme.ts'
import type { Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'
import { deleteScoped, prepared, selectScoped } from '../storage/query-building.ts'

/** How the annotation workspace displays a rating. Null means the default color, or no key. */
type DisplayedRating = Rating & { color: string | null; key: string | null }
export type DisplayedScheme = { ratings: readonly DisplayedRating[]; ordered: boolean }

/** The scheme of the application, or the default scheme. */
export async function readRatingScheme(q: Queries, workspaceId: string): Promise<DisplayedScheme> {
  return (await findRatingScheme(q, workspaceId)) ?? displayed(DEFAULT_SCHEME)
}

/** Undefined if the application has no scheme. */
export async function findRatingScheme(q: Queries, workspaceId: string): Promise<DisplayedScheme | undefined> {
  const row = await selectScoped(q, 'rating_schemes', { workspace_id: workspaceId })
    .select(['ratings', 'is_ordered'])
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

export type AnnotationPolicy = { ratersPerItem: number | null; blind: boolean; ratings: string[] | null }
export type RunScope = { workspaceId: string; runId: string }

/** Without a policy, every annotator may rate every trace with any rating, and all ratings are visible. */
export const NO_POLICY: AnnotationPolicy = { ratersPerItem: null, blind: false, ratings: null }

export async function readAnnotationPolicy(q: Queries, scope: RunScope): Promise<AnnotationPolicy> {
  const [row] = await findPolicy(q, { workspaceId: scope.workspaceId, runId: scope.runId })
  return row ? toPolicy(row) : NO_POLICY
}

/** Runs for every saved annotation. */
const findPolicy = prepared<RunScope>()((q, value) =>
  policyOf(q, { workspaceId: value('workspaceId'), runId: value('runId') }),
)

/**
 * Returns the policy and locks it until the transaction ends if it limits the raters per trace. The lock serializes
 * counting the raters of a trace and adding one. The caller must have locked the run before, like every caller that
 * changes the policy.
 */
export async function lockAnnotationPolicy(tx: Queries, scope: RunScope): Promise<AnnotationPolicy> {
  const known = await readAnnotationPolicy(tx, scope)
  if (known.ratersPerItem === null) return known
  const row = await lockForUpdate(tx, policyOf(tx, scope)).executeTakeFirst()
  return row ? toPolicy(row) : NO_POLICY
}

export async function upsertAnnotationPolicy(
  tx: Queries,
  { workspaceId, runId, policy, now }: RunScope & { policy: AnnotationPolicy; now: string },
): Promise<void> {
  const values = {
    raters_per_item: policy.ratersPerItem,
    is_blind: policy.blind ? 1 : 0,
    ratings: policy.ratings === null ? null : JSON.stringify(policy.ratings),
    updated_at: now,
  }
  await tx
    .insertInto('annotation_policies')
    .values({ workspace_id: workspaceId, run_id: runId, ...values })
    .onConflict((own) => own.columns(['workspace_id', 'run_id']).doUpdateSet(values))
    .execute()
}

export async function deleteAnnotationPolicy(tx: Queries, { workspaceId, runId }: RunScope): Promise<boolean> {
  const { numDeletedRows } = await deleteScoped(tx, 'annotation_policies', {
    workspace_id: workspaceId,
    run_id: runId,
  }).executeTakeFirst()
  return numDeletedRows > 0n
}

function policyOf(q: Queries, { workspaceId, runId }: RunScope) {
  return selectScoped(q, 'annotation_policies', { workspace_id: workspaceId, run_id: runId }).select([
    'raters_per_item',
    'is_blind',
    'ratings',
  ])
}

function toPolicy(row: { raters_per_item: number | null; is_blind: number; ratings: string | null }): AnnotationPolicy {
  const ratings: string[] | null = row.ratings === null ? null : JSON.parse(row.ratings)
  return { ratersPerItem: row.raters_per_item, blind: row.is_blind === 1, ratings }
}
