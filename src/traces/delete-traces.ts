/**
 * Deletes traces in two steps. One short transaction marks a trace, which hides it immediately and subtracts it from the rollups exactly
 * once. Its rows are then deleted in chunks, each in a separate transaction, so that a large trace does not block other requests.
 *
 * Every step deletes the rows that are left, and can be repeated or interrupted at any point.
 */
import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { changeStoredBytes } from '../workspaces/usage-queries.ts'
import { CONTENT_COLUMNS } from './storing/build-span-row.ts'
import { deleteFacets, facetsOfSpans, facetsOfTrace } from './storing/facets.ts'
import { deletePendingOfTraces } from './storing/pending-event-queries.ts'
import { RollupChanges } from './storing/rollups.ts'
import { findTraceStates } from './storing/trace-state-queries.ts'

/** The maximum total for a caller that chooses how many traces to delete together. */
export const DELETED_SPANS_MAX = 500
/** A span may have megabytes; one statement should not block the process for long. */
const SPANS_PER_STATEMENT = 25

export type MarkedTraces = { workspaceId: string; traceIds: readonly string[]; deletedAt: string }

/** Takes our ids. Returns how many traces were marked; those already deleted or marked are skipped. */
export async function markTracesDeleted(
  tx: Queries,
  { workspaceId, traceIds, deletedAt }: MarkedTraces,
): Promise<number> {
  if (traceIds.length === 0) return 0
  const senders = await tx
    .selectFrom('traces')
    .select('trace_id as traceId')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', traceIds)
    .where('deleted_at', 'is', null)
    .execute()
  const senderIds = senders.map(({ traceId }) => traceId)
  const held = (await findTraceStates(tx, workspaceId, senderIds)).filter(({ id }) => traceIds.includes(id))
  if (held.length === 0) return 0
  const rollups = new RollupChanges()
  for (const { state } of held) rollups.add(state, -1)
  await tx
    .updateTable('traces')
    .set({ deleted_at: deletedAt })
    .where('workspace_id', '=', workspaceId)
    .where(
      'id',
      'in',
      held.map(({ id }) => id),
    )
    .execute()
  await rollups.write(tx, workspaceId)
  await deletePendingOfTraces(tx, workspaceId, senderIds)
  return held.length
}

/** `rowsLeft` is true if the caller must continue in another transaction. */
export type DeletedRows = { traces: number; rowsLeft: boolean }

/** Deletes one chunk of the rows of marked traces: spans and facets, and the traces themselves when no span is left. */
export async function deleteTraceRows(
  tx: Queries,
  workspaceId: string,
  traceIds: readonly string[],
): Promise<DeletedRows> {
  const marked = await findMarkedTraces(tx, workspaceId, traceIds)
  if (marked.length === 0) return { traces: 0, rowsLeft: false }
  const ids = marked.map(({ id }) => id)
  if ((await deleteSomeSpans(tx, workspaceId, ids)) === DELETED_SPANS_MAX) return { traces: 0, rowsLeft: true }
  for (const { id: traceDbId, tags, ...trace } of marked) {
    const values = facetsOfTrace({ ...trace, tags: JSON.parse(tags) })
    await deleteFacets(tx, workspaceId, { traceDbId, values })
  }
  const { numDeletedRows } = await tx
    .deleteFrom('traces')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .executeTakeFirst()
  return { traces: Number(numDeletedRows), rowsLeft: false }
}

async function findMarkedTraces(tx: Queries, workspaceId: string, traceIds: readonly string[]) {
  if (traceIds.length === 0) return []
  return tx
    .selectFrom('traces')
    .select(['id', 'service', 'environment', 'session_id as sessionId', 'user_id as userId', 'tags'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', traceIds)
    .where('deleted_at', 'is not', null)
    .execute()
}

async function deleteSomeSpans(tx: Queries, workspaceId: string, traceIds: string[]): Promise<number> {
  const spans = await tx
    .selectFrom('spans')
    .select(['trace_id as traceDbId', 'span_id as spanId', 'kind', 'name', 'model', 'provider'])
    .select(CONTENT_BYTES.as('contentBytes'))
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', 'in', traceIds)
    .limit(DELETED_SPANS_MAX)
    .execute()
  for (const [traceDbId, own] of Map.groupBy(spans, (span) => span.traceDbId)) {
    // Facets are deleted with their spans: without the spans, the facets could no longer be found.
    await deleteFacets(tx, workspaceId, { traceDbId, values: facetsOfSpans(own) })
    for (const chunk of chunksOf(own, SPANS_PER_STATEMENT)) {
      const spanIds = chunk.map(({ spanId }) => spanId)
      await tx
        .deleteFrom('spans')
        .where('workspace_id', '=', workspaceId)
        .where('trace_id', '=', traceDbId)
        .where(inList(tx, 'span_id', spanIds))
        .execute()
      if (chunk.length === SPANS_PER_STATEMENT) await yieldToEventLoop()
    }
  }
  const bytes = spans.reduce((sum, span) => sum + Number(span.contentBytes), 0)
  await changeStoredBytes(tx, workspaceId, -bytes)
  return spans.length
}

const CONTENT_BYTES = sql<number>`${sql.join(
  CONTENT_COLUMNS.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
  sql` + `,
)}`
