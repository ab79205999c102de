/** Writing annotations, and what rules of writing ask for. */
import { hasRating } from '../scores/rating-queries.ts'
import type { Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'

/** An annotation as it is stored, with what its author may restore. */
export type StoredAnnotation = {
  id: string
  traceRef: string
  /** The reference as the author sent it; null if it is the stored one. */
  givenRef: string | null
  userId: string
  rating: string | null
  comment: string | null
  correctedOutput: string | null
  createdAt: string
  updatedAt: string
}

const STORED_COLUMNS = [
  'id',
  'trace_ref as traceRef',
  'given_ref as givenRef',
  'user_id as userId',
  'rating',
  'comment',
  'corrected_output as correctedOutput',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/** The annotation as a resource. */
export function toAnnotation({ id, traceRef, givenRef, userId, rating, comment, createdAt }: StoredAnnotation) {
  return { id, traceDbId: givenRef ?? traceRef, userId, rating, comment, createdAt }
}

/** There is one annotation per run, trace and author. Returns false if it exists. */
export async function insertAnnotation(
  tx: Queries,
  { workspaceId, runId }: { workspaceId: string; runId: string },
  annotation: StoredAnnotation,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('annotations')
    .values({
      workspace_id: workspaceId,
      id: annotation.id,
      run_id: runId,
      trace_ref: annotation.traceRef,
      user_id: annotation.userId,
      created_at: annotation.createdAt,
      ...changedColumns(annotation),
    })
    .onConflict((own) => own.columns(['workspace_id', 'run_id', 'trace_ref', 'user_id']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Only the fields that its author can change. */
export async function updateAnnotation(
  tx: Queries,
  { workspaceId }: { workspaceId: string },
  annotation: StoredAnnotation,
): Promise<void> {
  await tx
    .updateTable('annotations')
    .set(changedColumns(annotation))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', annotation.id)
    .execute()
}

function changedColumns({ givenRef, rating, comment, correctedOutput, updatedAt }: StoredAnnotation) {
  return { given_ref: givenRef, rating, comment, corrected_output: correctedOutput, updated_at: updatedAt }
}

type RaterScope = { workspaceId: string; runId: string; userId: string }

/** The annotation of a rater, locked until the transaction ends. */
export async function lockOwnAnnotation(
  tx: Queries,
  { workspaceId, runId, userId }: RaterScope,
  traceRef: string,
): Promise<StoredAnnotation | undefined> {
  const own = tx
    .selectFrom('annotations')
    .select(STORED_COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('trace_ref', '=', traceRef)
    .where('user_id', '=', userId)
  return lockForUpdate(tx, own).executeTakeFirst()
}

/** Locked until the transaction ends. */
export async function lockAnnotation(
  tx: Queries,
  { workspaceId, runId, annotationId }: { workspaceId: string; runId: string; annotationId: string },
): Promise<StoredAnnotation | undefined> {
  const annotation = tx
    .selectFrom('annotations')
    .select(STORED_COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('id', '=', annotationId)
  return lockForUpdate(tx, annotation).executeTakeFirst()
}

export async function deleteAnnotation(
  tx: Queries,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<void> {
  await tx.deleteFrom('annotations').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

export async function hasRated(q: Queries, { workspaceId, runId, userId }: RaterScope, traceRef: string) {
  const own = await ratingsOf(q, { workspaceId, runId, traceRef })
    .select('id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return own !== undefined
}

export async function countOtherRaters(
  q: Queries,
  { workspaceId, runId, userId }: RaterScope,
  traceRef: string,
): Promise<number> {
  const { count } = await ratingsOf(q, { workspaceId, runId, traceRef })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '<>', userId)
    .executeTakeFirstOrThrow()
  return count
}

function ratingsOf(
  q: Queries,
  { workspaceId, runId, traceRef }: { workspaceId: string; runId: string; traceRef: string },
) {
  return q
    .selectFrom('annotations')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('trace_ref', '=', traceRef)
    .where(hasRating('annotations'))
}
