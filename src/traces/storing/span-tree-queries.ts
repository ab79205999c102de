/** Reads and marks the stored spans of a trace that a new batch connects to. */
import { type SqlBool, sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { inList, jsonText } from '../../storage/dialect.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import { REPORTED_BELOW, RESPONSE_ID, reportedUsage } from './usage-coverage.ts'

const IDS_PER_STATEMENT = 500

type InTrace = { workspaceId: string; traceDbId: string }

/** Which of these spans are stored. */
export async function findSpanIds(q: Queries, { workspaceId, traceDbId }: InTrace, spanIds: string[]) {
  const found = new Set<string>()
  for (const chunk of chunksOf(spanIds, IDS_PER_STATEMENT)) {
    const rows = await selectScoped(q, 'spans', { workspace_id: workspaceId, trace_id: traceDbId })
      .select('span_id')
      .where(inList(q, 'span_id', chunk))
      .execute()
    for (const { span_id } of rows) found.add(span_id)
  }
  return found
}

/** Clears the orphan mark of spans that waited for one of these parents. Returns the usage that is reported below each parent. */
export async function adoptOrphans(
  tx: Queries,
  { workspaceId, traceDbId }: InTrace,
  parentIds: string[],
): Promise<Map<string, number>> {
  const reported = new Map<string, number>()
  for (const chunk of chunksOf(parentIds, IDS_PER_STATEMENT)) {
    const rows = await updateScoped(tx, 'spans', { workspace_id: workspaceId, trace_id: traceDbId, is_orphan: 1 })
      .set({ is_orphan: 0 })
      .where(inList(tx, 'parent_span_id', chunk))
      .returning(['parent_span_id', 'total_tokens as totalTokens', 'cost_usd as costUsd', 'covered_usage as covered'])
      .execute()
    for (const row of rows) {
      const parentId = row.parent_span_id ?? ''
      reported.set(parentId, (reported.get(parentId) ?? 0) | reportedUsage(row) | (row.covered & REPORTED_BELOW))
    }
  }
  return reported
}

/**
 * Marks a stored span and its ancestors as covered, up to the first that is already marked, and returns their previous values. One
 * statement, because a chain may have ten thousand spans; a cycle of parents terminates because no row is found twice. A cross join,
 * because the embedded database then keeps the written order of the tables.
 */
export async function coverStoredSpans(
  tx: Queries,
  { workspaceId, traceDbId }: InTrace,
  { spanId, bits }: { spanId: string; bits: number },
): Promise<{ spanId: string; totalTokens: number | null; costUsd: number | null; covered: number }[]> {
  const isOpen = sql`s.workspace_id = ${workspaceId} and s.trace_id = ${traceDbId} and (s.covered_usage & ${sql.lit(bits)}) <> ${sql.lit(bits)}`
  const { rows } = await sql<{
    spanId: string
    totalTokens: number | null
    costUsd: number | null
    covered: number
  }>`with recursive up (span_id, parent_span_id, total_tokens, cost_usd, covered_usage) as (
      select s.span_id, s.parent_span_id, s.total_tokens, s.cost_usd, s.covered_usage from spans s
        where ${isOpen} and s.span_id = ${spanId}
      union select s.span_id, s.parent_span_id, s.total_tokens, s.cost_usd, s.covered_usage
        from up cross join spans s where s.span_id = up.parent_span_id and ${isOpen})
    select span_id as "spanId", total_tokens as "totalTokens", cost_usd as "costUsd", covered_usage as covered from up`.execute(
    tx,
  )
  const spanIds = rows.map((span) => span.spanId)
  for (const chunk of chunksOf(spanIds, IDS_PER_STATEMENT)) {
    await updateScoped(tx, 'spans', { workspace_id: workspaceId, trace_id: traceDbId })
      .set({ covered_usage: sql<number>`covered_usage | ${sql.lit(bits)}` })
      .where(inList(tx, 'span_id', chunk))
      .execute()
    await yieldToEventLoop()
  }
  return rows
}

/** The response ids that these spans report. */
export async function findResponseIds(q: Queries, inTrace: InTrace, spanIds: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const chunk of chunksOf(spanIds, IDS_PER_STATEMENT)) {
    const rows = await reports(q, inTrace)
      .select(responseIdOf(q).as('responseId'))
      .where(inList(q, 'span_id', chunk))
      .execute()
    for (const { responseId } of rows) if (responseId !== null) found.add(responseId)
  }
  return found
}

type StoredCall = {
  spanId: string
  responseId: string
  resource_scope: string
  totalTokens: number | null
  costUsd: number | null
  costBasis: string | null
  covered: number
  startNs: string
  endNs: string | null
}

/** All spans that report calls with one of these ids. */
export async function listStoredCalls(
  q: Queries,
  inTrace: InTrace,
  responseIds: readonly string[],
): Promise<StoredCall[]> {
  const calls: StoredCall[] = []
  for (const chunk of chunksOf(responseIds, IDS_PER_STATEMENT)) {
    const rows = await reports(q, inTrace)
      .select([
        'span_id as spanId',
        'resource_scope',
        'total_tokens as totalTokens',
        'cost_usd as costUsd',
        'cost_basis as costBasis',
        'covered_usage as covered',
        responseIdOf(q).as('responseId'),
        sql<string>`cast(start_ns as text)`.as('startNs'),
        sql<string | null>`cast(end_ns as text)`.as('endNs'),
      ])
      .where(sql<SqlBool>`${responseIdOf(q)} in (${sql.join(chunk)})`)
      .execute()
    for (const { responseId, ...row } of rows) if (responseId !== null) calls.push({ ...row, responseId })
  }
  return calls
}

function reports(q: Queries, { workspaceId, traceDbId }: InTrace) {
  return selectScoped(q, 'spans', { workspace_id: workspaceId, trace_id: traceDbId }).where(({ eb, or }) =>
    or([eb('total_tokens', 'is not', null), eb('cost_usd', 'is not', null)]),
  )
}

function responseIdOf(q: Queries) {
  return jsonText(q, sql.ref<string>('attributes'), RESPONSE_ID)
}

export async function updateCovered(
  tx: Queries,
  { workspaceId, traceDbId }: InTrace,
  spans: readonly { spanId: string; covered: number }[],
): Promise<void> {
  for (const [covered, own] of Map.groupBy(spans, (span) => span.covered)) {
    for (const chunk of chunksOf(own, IDS_PER_STATEMENT)) {
      const spanIds = chunk.map(({ spanId }) => spanId)
      await updateScoped(tx, 'spans', { workspace_id: workspaceId, trace_id: traceDbId })
        .set({ covered_usage: covered })
        .where(inList(tx, 'span_id', spanIds))
        .execute()
    }
  }
}
