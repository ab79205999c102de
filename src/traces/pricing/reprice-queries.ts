import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'

/** Traces that started in `[fromNs, untilNs)`, in order of their ids, after `afterId`. */
export type RepriceWalk = { afterId: string; fromNs: bigint | null; untilNs: bigint | null; limit: number }

export async function listTracesToReprice(q: Queries, workspaceId: string, walk: RepriceWalk) {
  const { fromNs, untilNs } = walk
  return selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select(['id', 'trace_id as traceId', 'span_count as spanCount'])
    .where('id', '>', walk.afterId)
    .where('deleted_at', 'is', null)
    .$if(fromNs !== null, (query) => query.where(sql<boolean>`start_ns >= ${fromNs}`))
    .$if(untilNs !== null, (query) => query.where(sql<boolean>`start_ns < ${untilNs}`))
    .orderBy('id')
    .limit(walk.limit)
    .execute()
}

type OfTrace = { workspaceId: string; traceDbId: string }

/** The tree of the spans of a trace, with their current costs. */
export async function listSpanCosts(q: Queries, { workspaceId, traceDbId }: OfTrace) {
  return selectScoped(q, 'spans', { workspace_id: workspaceId, trace_id: traceDbId })
    .select([
      'span_id as spanId',
      'parent_span_id as parentSpanId',
      'cost_usd as costUsd',
      'cost_basis as costBasis',
      'covered_usage as covered',
    ])
    .execute()
}

/** Spans that report tokens but not their cost, in order of their ids. Texts are excluded, because prices do not depend on them. */
export async function listSpansToReprice(
  q: Queries,
  { workspaceId, traceDbId }: OfTrace,
  { afterSpanId, limit }: { afterSpanId: string; limit: number },
) {
  return selectScoped(q, 'spans', { workspace_id: workspaceId, trace_id: traceDbId })
    .select([
      'span_id as spanId',
      'name',
      'sent_name as sentName',
      'status',
      'status_message as statusMessage',
      'attributes',
      'resource_scope',
      sql<string>`cast(start_ns as text)`.as('startNs'),
    ])
    .where('span_id', '>', afterSpanId)
    .where(({ eb, or }) =>
      or([eb('total_tokens', 'is not', null), eb('input_tokens', 'is not', null), eb('output_tokens', 'is not', null)]),
    )
    .where(({ eb, or }) => or([eb('cost_basis', 'is', null), eb('cost_basis', '<>', 'reported')]))
    .orderBy('span_id')
    .limit(limit)
    .execute()
}

export type SpanCost = { spanId: string; costUsd: number | null; costBasis: string | null; covered: number }

export async function updateSpanCost(tx: Queries, { workspaceId, traceDbId }: OfTrace, span: SpanCost): Promise<void> {
  await updateScoped(tx, 'spans', { workspace_id: workspaceId, trace_id: traceDbId, span_id: span.spanId })
    .set({ cost_usd: span.costUsd, cost_basis: span.costBasis, covered_usage: span.covered })
    .execute()
}

/** A pending job with the same payload. */
export async function findWaitingReprice(q: Queries, workspaceId: string, payload: string) {
  return selectScoped(q, 'jobs', { workspace_id: workspaceId, kind: 'reprice', state: 'queued', payload })
    .select('id')
    .executeTakeFirst()
}
