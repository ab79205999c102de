/** Reads and marks the places where a batch meets spans of the same trace that are stored already. */
import { sql } from 'kysely'
import { chunksOf } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { isAmong } from '../storage/dialect.ts'
import { tellsOf } from './usage-coverage.ts'

const IDS_PER_STATEMENT = 500

type InTrace = { workspaceId: string; traceDbId: string }

/** Which of these spans are there. */
export async function findSpanIds(q: Queries, { workspaceId, traceDbId }: InTrace, spanIds: string[]) {
  const found = new Set<string>()
  for (const chunk of chunksOf(spanIds, IDS_PER_STATEMENT)) {
    const rows = await q
      .selectFrom('spans')
      .select('span_id')
      .where('workspace_id', '=', workspaceId)
      .where('trace_id', '=', traceDbId)
      .where(isAmong(q, 'span_id', chunk))
      .execute()
    for (const { span_id } of rows) found.add(span_id)
  }
  return found
}

/** Takes the spans that were waiting for one of these parents out of their waiting; answers what they tell each parent. */
export async function adoptOrphans(
  tx: Queries,
  { workspaceId, traceDbId }: InTrace,
  parentIds: string[],
): Promise<Map<string, number>> {
  const told = new Map<string, number>()
  for (const chunk of chunksOf(parentIds, IDS_PER_STATEMENT)) {
    const rows = await tx
      .updateTable('spans')
      .set({ is_orphan: 0 })
      .where('workspace_id', '=', workspaceId)
      .where('trace_id', '=', traceDbId)
      .where('is_orphan', '=', 1)
      .where(isAmong(tx, 'parent_span_id', chunk))
      .returning(['parent_span_id', 'total_tokens as totalTokens', 'cost_usd as costUsd', 'is_covered as covered'])
      .execute()
    for (const row of rows) {
      const parentId = row.parent_span_id ?? ''
      told.set(parentId, (told.get(parentId) ?? 0) | tellsOf(row) | row.covered)
    }
  }
  return told
}

/** Marks a stored span as covered; answers what is newly covered of it, and where to go on. Undefined if nothing changed. */
export async function coverStoredSpan(
  tx: Queries,
  { workspaceId, traceDbId }: InTrace,
  { spanId, bits }: { spanId: string; bits: number },
) {
  const span = await tx
    .selectFrom('spans')
    .select([
      'parent_span_id as parentSpanId',
      'total_tokens as totalTokens',
      'cost_usd as costUsd',
      'is_covered as covered',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceDbId)
    .where('span_id', '=', spanId)
    .executeTakeFirst()
  if (!span || (span.covered & bits) === bits) return undefined
  await tx
    .updateTable('spans')
    .set({ is_covered: sql<number>`is_covered | ${sql.lit(bits)}` })
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceDbId)
    .where('span_id', '=', spanId)
    .execute()
  return { ...span, newlyCovered: bits & ~span.covered }
}
