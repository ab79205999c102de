/** The annotations that a reader may see. */
import { type SqlBool, sql } from 'kysely'
import type { Page } from '../base/page.ts'
import { activeRuns } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { readBy } from '../storage/dialect.ts'
import { listPage } from '../storage/list-page.ts'
import { isVisibleTo, listBlindRuns } from './blind-annotation-queries.ts'

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

/** The same, for conditions on the trace: found by its index. */
export function activeAnnotationsOfTraces(q: Queries) {
  return activeRuns(q).innerJoin(
    readBy(q, { table: 'annotations', alias: 'a', index: 'annotations_of_trace' }),
    (join) => join.onRef('a.workspace_id', '=', 'r.workspace_id').onRef('a.run_id', '=', 'r.id'),
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
    isMine = false,
    ...page
  }: { workspaceId: string; componentId: string; runId: string; readerId: string; isMine?: boolean } & Page,
) {
  const annotations = activeAnnotations(q)
    .select(COLUMNS)
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '=', runId)
    .orderBy('a.id', 'desc')
  if (isMine) return listPage(q, annotations.where('a.user_id', '=', readerId), page)
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
  // A cross join: the embedded engine keeps the order of its tables, and would otherwise read all annotations of the application.
  return activeRuns(q)
    .crossJoin('annotations as a')
    .whereRef('a.workspace_id', '=', 'r.workspace_id')
    .whereRef('a.run_id', '=', 'r.id')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.dataset_id', '=', datasetId)
}

function annotationsOnItemsOf(q: Queries, { workspaceId, componentId, datasetId }: DatasetScope) {
  const run = activeRuns(q).select('r.id').where(sql<SqlBool>`r.workspace_id = a.workspace_id and r.id = a.run_id`)
  return q
    .selectFrom('dataset_items as i')
    .innerJoin('datasets as own', (join) =>
      join.onRef('own.workspace_id', '=', 'i.workspace_id').onRef('own.id', '=', 'i.dataset_id'),
    )
    .crossJoin(readBy(q, { table: 'annotations', alias: 'a', index: 'annotations_of_trace' }))
    .whereRef('a.workspace_id', '=', 'i.workspace_id')
    .whereRef('a.trace_ref', '=', 'i.trace_ref')
    .where(({ exists }) => exists(run))
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

type AnnotationScope = { workspaceId: string; componentId: string; runId: string; annotationId: string }

/** Undefined if the reader must not see it. */
export async function findVisibleAnnotation(
  q: Queries,
  { workspaceId, componentId, runId, annotationId, readerId }: AnnotationScope & { readerId: string },
) {
  const blindRuns = await listBlindRuns(q, { workspaceId, readerId, runId })
  return activeAnnotations(q)
    .select(['a.user_id as userId', 'a.trace_ref as traceRef', 'a.corrected_output as correctedOutput'])
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '=', runId)
    .where('a.id', '=', annotationId)
    .where(isVisibleTo(readerId, blindRuns))
    .executeTakeFirst()
}
