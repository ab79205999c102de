/** Resolutions of disagreements: one per trace of a run. The ratings themselves stay. */
import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'

type RunScope = { workspaceId: string; runId: string }

export type Resolution = {
  rating: string
  note: string | null
  userId: string
  name: string | null
  resolvedAt: string
}

/** By trace reference. */
export async function listResolutions(q: Queries, scope: RunScope): Promise<Map<string, Resolution>> {
  const rows = await resolutionsOf(q, scope).execute()
  return new Map(rows.map(({ ref, ...resolution }) => [ref, resolution]))
}

export async function findResolution(
  q: Queries,
  { traceRef, ...scope }: RunScope & { traceRef: string },
): Promise<Resolution | undefined> {
  const row = await resolutionsOf(q, scope).where('s.trace_ref', '=', traceRef).executeTakeFirst()
  if (!row) return undefined
  const { ref: _ref, ...resolution } = row
  return resolution
}

/** Only the ratings, by trace reference. */
export async function listResolvedRatings(
  q: Queries,
  { workspaceId, runId }: RunScope,
  refs: readonly string[],
): Promise<Map<string, string>> {
  const rows = await q
    .selectFrom('disagreement_resolutions')
    .select(['trace_ref as ref', 'rating'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where(inList(q, 'trace_ref', refs))
    .execute()
  return new Map(rows.map(({ ref, rating }) => [ref, rating]))
}

export async function upsertResolution(
  tx: Queries,
  {
    workspaceId,
    runId,
    traceRef,
    userId,
    rating,
    note,
    now,
  }: RunScope & { traceRef: string; userId: string; rating: string; note: string | null; now: string },
): Promise<void> {
  const values = { user_id: userId, rating, note, updated_at: now }
  await tx
    .insertInto('disagreement_resolutions')
    .values({ workspace_id: workspaceId, run_id: runId, trace_ref: traceRef, created_at: now, ...values })
    .onConflict((own) => own.columns(['workspace_id', 'run_id', 'trace_ref']).doUpdateSet(values))
    .execute()
}

export async function deleteResolution(
  tx: Queries,
  { workspaceId, runId, traceRef }: RunScope & { traceRef: string },
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('disagreement_resolutions')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('trace_ref', '=', traceRef)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function resolutionsOf(q: Queries, { workspaceId, runId }: RunScope) {
  return q
    .selectFrom('disagreement_resolutions as s')
    .leftJoin('users as u', 'u.id', 's.user_id')
    .select(['s.trace_ref as ref', 's.rating', 's.note', 's.user_id as userId', 'u.name', 's.updated_at as resolvedAt'])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.run_id', '=', runId)
}
