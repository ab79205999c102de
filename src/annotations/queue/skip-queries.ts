/** Skipped traces: the queue returns them to the user again after all others. */
import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { hasRating } from '../annotation-queries.ts'
import type { Rater } from './lease-queries.ts'

/** A user who skips more than this gets the others in the order of the queue. */
const SKIPPED_MAX = 1_000

/** The references of the traces that the rater has skipped and not rated, in the order of skipping. */
export async function listSkipped(q: Queries, { workspaceId, runId, userId }: Rater): Promise<string[]> {
  const rows = await q
    .selectFrom('annotation_skips as s')
    .select('s.trace_ref as ref')
    .where('s.workspace_id', '=', workspaceId)
    .where('s.run_id', '=', runId)
    .where('s.user_id', '=', userId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('annotations as mine')
            .select('mine.id')
            .whereRef('mine.workspace_id', '=', 's.workspace_id')
            .whereRef('mine.run_id', '=', 's.run_id')
            .whereRef('mine.trace_ref', '=', 's.trace_ref')
            .whereRef('mine.user_id', '=', 's.user_id')
            .where(hasRating('mine')),
        ),
      ),
    )
    .orderBy('s.skipped_at')
    .orderBy('s.trace_ref')
    .limit(SKIPPED_MAX)
    .execute()
  return rows.map(({ ref }) => ref)
}

/** Skips traces of the run; skipping again moves a trace to the end. Other references are ignored. */
export async function saveSkips(
  tx: Queries,
  { workspaceId, runId, userId }: Rater,
  { traceRefs, skippedAt }: { traceRefs: readonly string[]; skippedAt: string },
): Promise<void> {
  await sql`insert into annotation_skips (workspace_id, run_id, user_id, trace_ref, skipped_at)
    select l.workspace_id, l.run_id, ${userId}, l.trace_ref, ${skippedAt} from run_traces as l
    where l.workspace_id = ${workspaceId} and l.run_id = ${runId} and ${inList(tx, 'l.trace_ref', traceRefs)}
    on conflict (workspace_id, run_id, user_id, trace_ref) do update set skipped_at = excluded.skipped_at`.execute(tx)
}
