/** The changes of annotations that their authors can undo. */
import { type Clock, timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Db, Queries } from '../storage/db.ts'
import type { StoredAnnotation } from './annotation-queries.ts'

type RaterScope = { workspaceId: string; runId: string; userId: string }

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
    const newest = await tx
      .selectFrom('annotation_changes')
      .select(['id', 'trace_ref as traceRef', 'former'])
      .where('workspace_id', '=', workspaceId)
      .where('run_id', '=', runId)
      .where('user_id', '=', userId)
      .where('created_at', '>', timestamp(clock.now() - KEEP_MS))
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!newest) return undefined
    const { numDeletedRows } = await tx
      .deleteFrom('annotation_changes')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', newest.id)
      .executeTakeFirst()
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
  await tx
    .deleteFrom('annotation_changes')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('user_id', '=', userId)
    .where('trace_ref', '=', traceRef)
    .execute()
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
