import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { uncovered } from './storing/usage-coverage.ts'
import { bytesOf } from './trace-queries.ts'

type OfTrace = { workspaceId: string; traceDbId: string }

/** The spans whose tokens count for the trace, with the size of what a mapping reads. */
export async function listCountedSpans(q: Queries, { workspaceId, traceDbId }: OfTrace) {
  const rows = await q
    .selectFrom('spans')
    .select([
      'span_id as spanId',
      'input_tokens as inputTokens',
      'output_tokens as outputTokens',
      'total_tokens as totalTokens',
      'covered_usage as covered',
      bytesOf('attributes').as('bytes'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceDbId)
    .where('total_tokens', 'is not', null)
    .execute()
  return rows.filter(
    ({ totalTokens, covered }) => uncovered({ totalTokens, costUsd: null }, covered).totalTokens !== null,
  )
}

/** What the mapping of counts needs: the texts of a span have none. */
export function listSpanAttributes(q: Queries, { workspaceId, traceDbId }: OfTrace, spanIds: readonly string[]) {
  return q
    .selectFrom('spans')
    .select([
      'name',
      'sent_name as sentName',
      'status',
      'status_message as statusMessage',
      'attributes',
      'resource_scope',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceDbId)
    .where(inList(q, 'span_id', spanIds))
    .execute()
}
