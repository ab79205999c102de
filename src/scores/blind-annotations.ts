/**
 * Who may see which annotations. In a run that is rated blindly, nobody sees what others said of a trace before having rated it: a rating
 * that has seen another is no second opinion. Admins and owners oversee such a run for as long as they have not rated anything in it
 * themselves; then they are raters like all others. An API key counts as the person who made it.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { hasRating } from './has-rating-sql.ts'

export type Reader = { workspaceId: string; readerId: string }

/** The runs in which the reader sees of a trace only what `isOpenTo` allows; of all runs, or of the one given. */
export async function listBlindRuns(q: Queries, { workspaceId, readerId, runId }: Reader & { runId?: string }) {
  const runs = q
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
  const rows = await (runId === undefined ? runs : runs.where('p.run_id', '=', runId)).execute()
  return rows.map((row) => row.runId)
}

/** Whether the reader is one of those who must not know what others say in this run before having rated. */
export async function isBlindTo(q: Queries, reader: Reader & { runId: string }): Promise<boolean> {
  return (await listBlindRuns(q, reader)).length > 0
}

/** Whether an annotation `a` is visible to a reader who is blind to these runs. */
export function isVisibleTo(readerId: string, blindRuns: readonly string[]): RawBuilder<SqlBool> {
  if (blindRuns.length === 0) return sql<SqlBool>`1 = 1`
  return sql<SqlBool>`(a.run_id not in (${sql.join(blindRuns)}) or ${isOpenTo(readerId)})`
}

/**
 * It is the reader's own, or the reader has rated the trace. Asked by the trace and not by the run, of which there may be many
 * thousands: the cast keeps an engine that does not know so yet from choosing otherwise.
 */
function isOpenTo(readerId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(a.user_id = ${readerId} or (select own.user_id from annotations as own
    where own.workspace_id = a.workspace_id and own.trace_ref = a.trace_ref
      and cast(own.run_id as text) = cast(a.run_id as text)
      and own.user_id = ${readerId} and ${hasRating('own')} limit 1) is not null)`
}
