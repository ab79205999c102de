/**
 * Deletes traces in two steps. One short transaction marks a trace, which hides it immediately and subtracts it from the rollups exactly
 * once. Its rows are then deleted in chunks, each in a separate transaction, so that a large trace does not block other requests.
 *
 * Every step deletes the rows that are left, and can be repeated or interrupted at any point.
 */
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { changeStoredBytes } from '../workspaces/usage-queries.ts'
import { deleteFacets, facetsOfSpans, facetsOfTrace } from './storing/facet-queries.ts'
import { deletePendingOfTraces } from './storing/pending-event-queries.ts'
import { RollupChanges } from './storing/rollup-queries.ts'
import { STATE_COLUMNS } from './storing/trace-state.ts'
import { findTraceStates } from './storing/trace-state-queries.ts'
import {
  deleteMarkedTraces,
  deleteSpans,
  listMarkedTraces,
  listSenderIds,
  listSpansToDelete,
  updateDeletedAt,
} from './trace-deletion-queries.ts'

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
  const senderIds = await listSenderIds(tx, workspaceId, traceIds)
  const held = (await findTraceStates(tx, workspaceId, senderIds)).filter(({ id }) => traceIds.includes(id))
  if (held.length === 0) return 0
  const rollups = new RollupChanges()
  for (const { state } of held) rollups.add(state, -1)
  const ids = held.map(({ id }) => id)
  await updateDeletedAt(tx, { workspaceId, traceIds: ids, deletedAt })
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
  const marked = await listMarkedTraces(tx, workspaceId, traceIds)
  if (marked.length === 0) return { traces: 0, rowsLeft: false }
  const ids = marked.map(({ id }) => id)
  if ((await deleteSomeSpans(tx, workspaceId, ids)) === DELETED_SPANS_MAX) return { traces: 0, rowsLeft: true }
  for (const { id: traceDbId, ...row } of marked) {
    const values = facetsOfTrace({ ...row, ...readParts(row) })
    await deleteFacets(tx, workspaceId, { traceDbId, values })
  }
  return { traces: await deleteMarkedTraces(tx, workspaceId, ids), rowsLeft: false }
}

/** Those of the values that are stored in another form than they have in a state. */
function readParts({
  tags,
  links,
  source,
  prompts,
}: { [Name in 'tags' | 'links' | 'source' | 'prompts']: string | null }) {
  return {
    tags: STATE_COLUMNS.tags.read(tags ?? '[]'),
    links: STATE_COLUMNS.links.read(links),
    source: STATE_COLUMNS.source.read(source),
    prompts: STATE_COLUMNS.prompts.read(prompts),
  }
}

async function deleteSomeSpans(tx: Queries, workspaceId: string, traceIds: string[]): Promise<number> {
  const spans = await listSpansToDelete(tx, { workspaceId, traceIds, limit: DELETED_SPANS_MAX })
  for (const [traceDbId, own] of Map.groupBy(spans, (span) => span.traceDbId)) {
    // Facets are deleted with their spans: without the spans, the facets could no longer be found.
    await deleteFacets(tx, workspaceId, { traceDbId, values: facetsOfSpans(own) })
    for (const chunk of chunksOf(own, SPANS_PER_STATEMENT)) {
      const spanIds = chunk.map(({ spanId }) => spanId)
      await deleteSpans(tx, { workspaceId, traceDbId, spanIds })
      if (chunk.length === SPANS_PER_STATEMENT) await yieldToEventLoop()
    }
  }
  const bytes = spans.reduce((sum, span) => sum + Number(span.contentBytes), 0)
  await changeStoredBytes(tx, workspaceId, -bytes)
  return spans.length
}
