import { sql } from 'kysely'
import type { Page } from '../base/page.ts'
import { activeRuns } from '../runs/run-queries.ts'
import { isVisibleTo, listBlindRuns } from '../scores/blind-annotation-queries.ts'
import { hasRating } from '../scores/rating-queries.ts'
import type { Queries } from '../storage/db.ts'
import { listPage } from '../storage/list-page.ts'

const COLUMNS = [
  'a.id',
  // The reference that the author used. A trace has two ids; the other columns use the canonical one.
  sql<string>`coalesce(a.given_ref, a.trace_ref)`.as('traceDbId'),
  'a.user_id as userId',
  'a.rating',
  'a.comment',
  'a.created_at as createdAt',
] as const

/** Annotations of deleted runs are excluded. */
export function activeAnnotations(q: Queries) {
  return activeRuns(q).innerJoin('annotations as a', (join) =>
    join.onRef('a.workspace_id', '=', 'r.workspace_id').onRef('a.run_id', '=', 'r.id'),
  )
}

/** Excludes annotations that the reader must not see. */
export async function listRunAnnotations(
  q: Queries,
  {
    workspaceId,
    componentId,
    runId,
    readerId,
    ...page
  }: { workspaceId: string; componentId: string; runId: string; readerId: string } & Page,
) {
  const annotations = activeAnnotations(q)
    .select(COLUMNS)
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '=', runId)
    .orderBy('a.id', 'desc')
  const blindRuns = await listBlindRuns(q, { workspaceId, readerId, runId })
  return listPage(q, annotations.where(isVisibleTo(readerId, blindRuns)), page)
}

type DatasetScope = { workspaceId: string; componentId: string; datasetId: string }

/**
 * The annotations in all runs of a dataset, and those in other runs on traces that are items of the dataset, without
 * duplicates. Excludes annotations that the reader must not see. Uses UNION instead of OR so that each branch can use
 * an index.
 */
export async function listDatasetAnnotations(
  q: Queries,
  { readerId, limit, offset, ...scope }: DatasetScope & { readerId: string } & Page,
) {
  const isVisible = isVisibleTo(readerId, await listBlindRuns(q, { workspaceId: scope.workspaceId, readerId }))
  const inItsRuns = annotationsInRunsOf(q, scope).select(COLUMNS).where(isVisible)
  const onItsItems = annotationsOnItemsOf(q, scope).select(COLUMNS).where(isVisible)
  const both = q.selectFrom(inItsRuns.union(onItsItems).as('both')).selectAll().orderBy('id', 'desc')
  return listPage(q, both, { limit, offset })
}

function annotationsInRunsOf(q: Queries, { workspaceId, componentId, datasetId }: DatasetScope) {
  return activeAnnotations(q)
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.dataset_id', '=', datasetId)
}

function annotationsOnItemsOf(q: Queries, { workspaceId, componentId, datasetId }: DatasetScope) {
  return activeAnnotations(q)
    .innerJoin('dataset_items as i', (join) =>
      join.onRef('i.workspace_id', '=', 'a.workspace_id').onRef('i.trace_ref', '=', 'a.trace_ref'),
    )
    .innerJoin('datasets as own', (join) =>
      join.onRef('own.workspace_id', '=', 'i.workspace_id').onRef('own.id', '=', 'i.dataset_id'),
    )
    .where('i.workspace_id', '=', workspaceId)
    .where('i.dataset_id', '=', datasetId)
    .where('own.component_id', '=', componentId)
    .where('own.deleted_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('components as oc')
          .select('oc.id')
          .whereRef('oc.workspace_id', '=', 'own.workspace_id')
          .whereRef('oc.id', '=', 'own.component_id')
          .where('oc.deleted_at', 'is', null),
      ),
    )
}

/** There is one annotation per run, trace and author. Saving again updates the given fields and keeps the others. */
export async function upsertAnnotation(
  tx: Queries,
  annotation: {
    workspaceId: string
    id: string
    runId: string
    traceRef: string
    /** The reference as the caller sent it. */
    givenRef: string
    userId: string
    rating?: string | undefined
    comment?: string | undefined
    now: string
  },
) {
  const { rating, comment, now } = annotation
  const given_ref = annotation.givenRef === annotation.traceRef ? null : annotation.givenRef
  return tx
    .insertInto('annotations')
    .values({
      workspace_id: annotation.workspaceId,
      id: annotation.id,
      run_id: annotation.runId,
      trace_ref: annotation.traceRef,
      given_ref,
      user_id: annotation.userId,
      rating: rating ?? null,
      comment: comment ?? null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((own) =>
      own.columns(['workspace_id', 'run_id', 'trace_ref', 'user_id']).doUpdateSet({
        updated_at: now,
        given_ref,
        ...(rating === undefined ? {} : { rating }),
        ...(comment === undefined ? {} : { comment }),
      }),
    )
    .returning([
      'id',
      sql<string>`coalesce(given_ref, trace_ref)`.as('traceDbId'),
      'user_id as userId',
      'rating',
      'comment',
      'created_at as createdAt',
    ])
    .executeTakeFirstOrThrow()
}

export async function findAnnotationAuthor(
  q: Queries,
  { workspaceId, runId, annotationId }: { workspaceId: string; runId: string; annotationId: string },
): Promise<string | undefined> {
  const annotation = await q
    .selectFrom('annotations')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('id', '=', annotationId)
    .executeTakeFirst()
  return annotation?.user_id
}

export async function deleteAnnotation(
  tx: Queries,
  { workspaceId, runId, annotationId }: { workspaceId: string; runId: string; annotationId: string },
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('annotations')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('id', '=', annotationId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

type RaterScope = { workspaceId: string; runId: string; userId: string }

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
