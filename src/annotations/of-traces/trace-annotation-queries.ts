/** Annotations outside of runs. A user has at most one per trace. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { listPage } from '../../storage/list-page.ts'
import { deleteScoped, selectScoped } from '../../storage/query-building.ts'
import { activeAnnotationsOfTraces } from '../annotation-list-queries.ts'
import { hasRating } from '../annotation-queries.ts'

export type TraceAuthor = { workspaceId: string; traceDbId: string; userId: string }
export type TraceAnnotationFields = { rating: string | null; comment: string | null; correctedOutput: string | null }

export async function findTraceAnnotation(q: Queries, { workspaceId, traceDbId, userId }: TraceAuthor) {
  return selectScoped(q, 'trace_annotations', { workspace_id: workspaceId, trace_id: traceDbId, user_id: userId })
    .select(['id', 'rating', 'comment', 'corrected_output as correctedOutput'])
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .executeTakeFirst()
}

export async function upsertTraceAnnotation(
  tx: Queries,
  { workspaceId, traceDbId, userId }: TraceAuthor,
  { id, now, rating, comment, correctedOutput }: TraceAnnotationFields & { id: string; now: string },
): Promise<void> {
  const fields = { rating, comment, corrected_output: correctedOutput, updated_at: now }
  await tx
    .insertInto('trace_annotations')
    .values({ workspace_id: workspaceId, id, trace_id: traceDbId, user_id: userId, created_at: now, ...fields })
    .onConflict((own) => own.columns(['workspace_id', 'trace_id', 'user_id']).doUpdateSet(fields))
    .execute()
}

export async function deleteTraceAnnotation(
  tx: Queries,
  { workspaceId, traceDbId, userId }: TraceAuthor,
): Promise<void> {
  await deleteScoped(tx, 'trace_annotations', {
    workspace_id: workspaceId,
    trace_id: traceDbId,
    user_id: userId,
  }).execute()
}

type AnnotatedTrace = { workspaceId: string; traceDbId: string; traceRef: string }

/** What the reader may see: a condition on the annotations `a` in runs, and one on those outside of runs, also `a`. */
export type Visibility = { inRuns: RawBuilder<SqlBool>; outside: RawBuilder<SqlBool> }

/** All annotations of a trace that the reader may see, in runs and outside of runs, newest first. */
export async function listAnnotationsOfTrace(
  q: Queries,
  trace: AnnotatedTrace,
  { inRuns, outside, ...page }: Visibility & Page,
) {
  const runAnnotations = annotationsInRuns(q, trace)
    .select(['a.id', 'r.component_id as aiComponentId', 'r.id as runId', 'r.name as runName'])
    .select(COMMON_COLUMNS)
    .where(inRuns)
  const outsideRuns = annotationsOutside(q, trace)
    .select(['a.id', NO_ID.as('aiComponentId'), NO_ID.as('runId'), sql<string | null>`null`.as('runName')])
    .select(COMMON_COLUMNS)
    .where(outside)
  const both = q.selectFrom(outsideRuns.unionAll(runAnnotations).as('both')).selectAll().orderBy('id', 'desc')
  const { rows, ...extent } = await listPage(q, both, page)
  return { ...extent, rows: rows.map(({ id, ...row }) => ({ id, traceDbId: trace.traceDbId, ...row })) }
}

const HIDDEN_RATERS_MAX = 50

/** The users whose ratings of the trace the reader may not see. */
export async function listHiddenRaters(q: Queries, trace: AnnotatedTrace, { inRuns, outside }: Visibility) {
  const hidden = annotationsInRuns(q, trace)
    .select(['a.user_id as userId', 'u.name'])
    .where(hasRating('a'))
    .where(({ not }) => not(inRuns))
    .union(
      annotationsOutside(q, trace)
        .select(['a.user_id as userId', 'u.name'])
        .where(hasRating('a'))
        .where(({ not }) => not(outside)),
    )
  return q.selectFrom(hidden.as('h')).selectAll().orderBy('userId').limit(HIDDEN_RATERS_MAX).execute()
}

/** A null of the same type as the ids that it is united with. */
const NO_ID = sql<string | null>`nullif(a.id, a.id)`

const COMMON_COLUMNS = [
  'a.user_id as userId',
  'u.name',
  'a.rating',
  'a.comment',
  'a.corrected_output as correctedOutput',
  'a.created_at as createdAt',
  'a.updated_at as updatedAt',
] as const

function annotationsInRuns(q: Queries, { workspaceId, traceRef }: AnnotatedTrace) {
  return activeAnnotationsOfTraces(q)
    .leftJoin('users as u', 'u.id', 'a.user_id')
    .where('a.workspace_id', '=', workspaceId)
    .where('a.trace_ref', '=', traceRef)
}

function annotationsOutside(q: Queries, { workspaceId, traceDbId }: AnnotatedTrace) {
  return q
    .selectFrom('trace_annotations as a')
    .leftJoin('users as u', 'u.id', 'a.user_id')
    .where('a.workspace_id', '=', workspaceId)
    .where('a.trace_id', '=', traceDbId)
}

/** All of them, or only the reader's own. */
export function visibleOutside(readerId: string, isBlind: boolean): RawBuilder<SqlBool> {
  return isBlind ? sql<SqlBool>`a.user_id = ${readerId}` : sql<SqlBool>`1 = 1`
}
