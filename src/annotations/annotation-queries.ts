/** Writing annotations and what their authors can undo, and what rules of writing ask for. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Clock, timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Db, Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'
import { deleteScoped, selectScoped, updateScoped } from '../storage/query-building.ts'

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
  await updateScoped(tx, 'annotations', { workspace_id: workspaceId, id: annotation.id })
    .set(changedColumns(annotation))
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
  const own = selectScoped(tx, 'annotations', {
    workspace_id: workspaceId,
    run_id: runId,
    trace_ref: traceRef,
    user_id: userId,
  }).select(STORED_COLUMNS)
  return lockForUpdate(tx, own).executeTakeFirst()
}

/** Locked until the transaction ends. */
export async function lockAnnotation(
  tx: Queries,
  { workspaceId, runId, annotationId }: { workspaceId: string; runId: string; annotationId: string },
): Promise<StoredAnnotation | undefined> {
  const annotation = selectScoped(tx, 'annotations', {
    workspace_id: workspaceId,
    run_id: runId,
    id: annotationId,
  }).select(STORED_COLUMNS)
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
  return selectScoped(q, 'annotations', { workspace_id: workspaceId, run_id: runId, trace_ref: traceRef }).where(
    hasRating('annotations'),
  )
}

/**
 * True if an annotation has a rating that is not empty. Written with constants like the partial index on raters;
 * otherwise the engines would not use that index.
 */
export function hasRating(table: string): RawBuilder<SqlBool> {
  const rating = sql.ref(`${table}.rating`)
  return sql<SqlBool>`(${rating} is not null and ${rating} <> '')`
}

/** `former` is the annotation before the change; null if there was none. */
type AnnotationChange = { traceRef: string; former: StoredAnnotation | null }

const KEEP_MS = 24 * 60 * 60_000
const ROWS_PER_CHUNK = 500

export async function insertChange(
  tx: Queries,
  { workspaceId, runId, userId }: RaterScope,
  { id, createdAt, traceRef, former }: AnnotationChange & { id: string; createdAt: string },
): Promise<void> {
  await tx
    .insertInto('annotation_changes')
    .values({
      workspace_id: workspaceId,
      id,
      run_id: runId,
      user_id: userId,
      trace_ref: traceRef,
      former: former === null ? null : JSON.stringify(former),
      created_at: createdAt,
    })
    .execute()
}

/**
 * Removes the newest change of the user in a run and returns it. If another request has removed it since it was found,
 * the one before is returned.
 */
export async function takeNewestChange(
  tx: Queries,
  clock: Clock,
  { workspaceId, runId, userId }: RaterScope,
): Promise<AnnotationChange | undefined> {
  for (;;) {
    const newest = await selectScoped(tx, 'annotation_changes', {
      workspace_id: workspaceId,
      run_id: runId,
      user_id: userId,
    })
      .select(['id', 'trace_ref as traceRef', 'former'])
      .where('created_at', '>', timestamp(clock.now() - KEEP_MS))
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!newest) return undefined
    const { numDeletedRows } = await deleteScoped(tx, 'annotation_changes', {
      workspace_id: workspaceId,
      id: newest.id,
    }).executeTakeFirst()
    const former: StoredAnnotation | null = newest.former === null ? null : JSON.parse(newest.former)
    if (numDeletedRows > 0n) return { traceRef: newest.traceRef, former }
  }
}

/** After another user has deleted the annotation, its author must not restore it. */
export async function deleteChangesOfTrace(
  tx: Queries,
  { workspaceId, runId, userId }: RaterScope,
  traceRef: string,
): Promise<void> {
  await deleteScoped(tx, 'annotation_changes', {
    workspace_id: workspaceId,
    run_id: runId,
    user_id: userId,
    trace_ref: traceRef,
  }).execute()
}

/** Called by the housekeeping. Deletes in chunks: a day of many annotators may be many rows. */
export async function deleteOldChanges(db: Db, clock: Clock): Promise<void> {
  const before = timestamp(clock.now() - KEEP_MS)
  while ((await db.transaction((tx) => deleteChunk(tx, before))) === ROWS_PER_CHUNK) await yieldToEventLoop()
}

async function deleteChunk(tx: Queries, before: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('annotation_changes')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('workspace_id', 'id'),
        'in',
        selectFrom('annotation_changes')
          .select(['workspace_id', 'id'])
          .where('created_at', '<=', before)
          .limit(ROWS_PER_CHUNK)
          .$asTuple('workspace_id', 'id'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
