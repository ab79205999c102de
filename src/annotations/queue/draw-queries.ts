/** The traces that the queue drew at random, and how probable each draw was. */
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import type { RunScope } from '../rating-rule-queries.ts'

export type Draw = {
  traceRef: string
  /** The probability with which this trace was drawn from the pool. */
  probability: number
  /** The number of traces that could have been drawn. */
  pool: number
}

/** Drawing a trace again replaces its earlier draw: the rating follows the last one. */
export async function saveDraws(
  tx: Queries,
  { workspaceId, runId }: RunScope,
  { draws, drawnAt }: { draws: readonly Draw[]; drawnAt: string },
): Promise<void> {
  if (draws.length === 0) return
  await tx
    .insertInto('annotation_draws')
    .values(
      draws.map(({ traceRef, probability, pool }) => {
        return { workspace_id: workspaceId, run_id: runId, trace_ref: traceRef, probability, pool, drawn_at: drawnAt }
      }),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'run_id', 'trace_ref']).doUpdateSet(({ ref }) => ({
        probability: ref('excluded.probability'),
        pool: ref('excluded.pool'),
        drawn_at: ref('excluded.drawn_at'),
      })),
    )
    .execute()
}

/**
 * How much more likely each of these traces was to be drawn than an average one of its pool. Traces that were not drawn
 * are missing. Without a run: in any run.
 */
export async function listDrawChances(
  q: Queries,
  { workspaceId, runId }: { workspaceId: string; runId: string | null },
  refs: readonly string[],
): Promise<Map<string, number>> {
  const draws = selectScoped(q, 'annotation_draws', { workspace_id: workspaceId })
    .select(['trace_ref as ref', 'probability', 'pool'])
    .where(inList(q, 'trace_ref', refs))
  const rows = await (runId === null ? draws : draws.where('run_id', '=', runId)).execute()
  return new Map(rows.map(({ ref, probability, pool }) => [ref, probability * pool]))
}
