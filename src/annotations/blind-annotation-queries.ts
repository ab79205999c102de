/**
 * Visibility of annotations. In a run that is rated blindly, a user does not see the ratings of a trace before rating
 * it: otherwise the rating would not be independent. Admins and owners see all annotations of such a run until they
 * rate a trace in it themselves. An API key counts as the user who created it.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { prepared } from '../storage/query-building.ts'
import { hasRating } from './annotation-queries.ts'

export type Reader = { workspaceId: string; readerId: string }

/** The runs in which `isOpenTo` limits what the reader sees. Considers all runs, or only the given one. */
export async function listBlindRuns(q: Queries, { workspaceId, readerId, runId }: Reader & { runId?: string }) {
  const rows =
    runId === undefined
      ? await selectBlindRuns(q, { workspaceId, readerId })
      : await blindRuns(q, { workspaceId, readerId }).where('p.run_id', '=', runId).execute()
  return rows.map((row) => row.runId)
}

const selectBlindRuns = prepared<Reader>()((q, value) =>
  blindRuns(q, { workspaceId: value('workspaceId'), readerId: value('readerId') }),
)

function blindRuns(q: Queries, { workspaceId, readerId }: Reader) {
  return q
    .selectFrom('annotation_policies as p')
    .select('p.run_id as runId')
    .where('p.workspace_id', '=', workspaceId)
    .where('p.is_blind', '=', 1)
    .where(
      sql<SqlBool>`(not exists (select 1 from members as m
          where m.workspace_id = ${workspaceId} and m.user_id = ${readerId} and m.role in ('admin', 'owner'))
        or exists (select 1 from annotations as mine
          where mine.workspace_id = p.workspace_id and mine.run_id = p.run_id and mine.user_id = ${readerId}
            and ${hasRating('mine')}))`,
    )
}

/** True if the reader must not see the ratings of this run before rating. */
export async function isBlindTo(q: Queries, reader: Reader & { runId: string }): Promise<boolean> {
  return (await listBlindRuns(q, reader)).length > 0
}

/** True if `listBlindTraces` has the trace. */
export async function isTraceBlindTo(q: Queries, reader: Reader, traceRef: string): Promise<boolean> {
  const blindRuns = await listBlindRuns(q, reader)
  return (await listBlindTraces(q, { ...reader, blindRuns }, [traceRef])).size > 0
}

/**
 * Those of the traces that are part of a run that the reader must rate blindly, and that the reader has not rated there.
 * What others say about such a trace outside of the run is hidden until then, too.
 */
export async function listBlindTraces(
  q: Queries,
  { workspaceId, readerId, blindRuns }: Reader & { blindRuns: readonly string[] },
  traceRefs: readonly string[],
): Promise<Set<string>> {
  if (blindRuns.length === 0 || traceRefs.length === 0) return new Set()
  const unrated = await q
    .selectFrom('run_traces as l')
    .select('l.trace_ref as ref')
    .where('l.workspace_id', '=', workspaceId)
    .where('l.trace_ref', 'in', traceRefs)
    .where('l.run_id', 'in', blindRuns)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('annotations as own')
            .select('own.id')
            .whereRef('own.workspace_id', '=', 'l.workspace_id')
            .whereRef('own.run_id', '=', 'l.run_id')
            .whereRef('own.trace_ref', '=', 'l.trace_ref')
            .where('own.user_id', '=', readerId)
            .where(hasRating('own')),
        ),
      ),
    )
    .execute()
  return new Set(unrated.map(({ ref }) => ref))
}

/** Whether an annotation `a` is visible to a reader who is blind to these runs. */
export function isVisibleTo(readerId: string, blindRuns: readonly string[]): RawBuilder<SqlBool> {
  if (blindRuns.length === 0) return sql<SqlBool>`1 = 1`
  return sql<SqlBool>`(a.run_id not in (${sql.join(blindRuns)}) or ${isOpenTo(readerId)})`
}

/**
 * True for the reader's own annotations and for traces that the reader has rated. Looked up by trace, because a run may
 * have thousands of annotations: the cast prevents a planner without statistics from using the index on the run.
 */
function isOpenTo(readerId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(a.user_id = ${readerId} or (select own.user_id from annotations as own
    where own.workspace_id = a.workspace_id and own.trace_ref = a.trace_ref
      and cast(own.run_id as text) = cast(a.run_id as text)
      and own.user_id = ${readerId} and ${hasRating('own')} limit 1) is not null)`
}
