import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { deleteScoped, selectScoped, updateScoped } from '../../storage/query-building.ts'
import { SPAN_SELECTION } from '../trace-queries.ts'
import { SPAN_COLUMNS, type StoredValue } from './build-span-row.ts'
import { MAPPING_VERSION } from './mapping-version.ts'

/** A span may have megabytes; one statement should not block the process for long. */
const SPANS_PER_STATEMENT = 25

type OfTrace = { workspaceId: string; traceDbId: string }

/** All columns of spans, unordered. Times are text, so that no digits are lost. */
export async function listStoredSpans(q: Queries, { workspaceId, traceDbId }: OfTrace, spanIds: readonly string[]) {
  return selectScoped(q, 'spans', { workspace_id: workspaceId, trace_id: traceDbId })
    .select([
      ...SPAN_SELECTION,
      'otel_kind as otelKind',
      'covered_usage as covered',
      'is_orphan as orphan',
      sql<string>`cast(start_ns as text)`.as('startNs'),
      sql<string | null>`cast(end_ns as text)`.as('endNs'),
    ])
    .where(inList(q, 'span_id', spanIds))
    .execute()
}

export type StoredSpanRow = Awaited<ReturnType<typeof listStoredSpans>>[number]

/** Writes existing rows again. Each gets a new position, which makes the text search index pick it up again. */
export async function replaceSpans(
  tx: Queries,
  { workspaceId, traceDbId }: OfTrace,
  spans: readonly { spanId: string; values: StoredValue[] }[],
): Promise<void> {
  for (const chunk of chunksOf(spans, SPANS_PER_STATEMENT)) {
    await deleteScoped(tx, 'spans', { workspace_id: workspaceId, trace_id: traceDbId })
      .where(
        inList(
          tx,
          'span_id',
          chunk.map(({ spanId }) => spanId),
        ),
      )
      .execute()
    const rows = chunk.map(({ values }) => values)
    await insertNewRows(tx, { table: 'spans', columns: SPAN_COLUMNS, rows }, ['span_id'])
    await yieldToEventLoop()
  }
}

export async function updateSpanEvents(
  tx: Queries,
  { workspaceId, traceDbId }: OfTrace,
  { spanId, events }: { spanId: string; events: string },
): Promise<void> {
  await updateScoped(tx, 'spans', { workspace_id: workspaceId, trace_id: traceDbId, span_id: spanId })
    .set({ events })
    .execute()
}

export async function updateSpanPlace(
  tx: Queries,
  { workspaceId, traceDbId }: OfTrace,
  { spanId, covered, orphan }: { spanId: string; covered: number; orphan: number },
): Promise<void> {
  await updateScoped(tx, 'spans', { workspace_id: workspaceId, trace_id: traceDbId, span_id: spanId })
    .set({ covered_usage: covered, is_orphan: orphan })
    .execute()
}

/** Marks a trace as mapped by the current version. */
export async function updateMappingVersion(tx: Queries, { workspaceId, traceDbId }: OfTrace): Promise<void> {
  await updateScoped(tx, 'traces', { workspace_id: workspaceId, id: traceDbId })
    .set({ mapping_version: MAPPING_VERSION })
    .execute()
}

/** Which of these traces were mapped by the current version. */
export async function findCurrentTraces(q: Queries, workspaceId: string, traceDbIds: string[]): Promise<Set<string>> {
  const rows = await selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select('id')
    .where('id', 'in', traceDbIds)
    .where('mapping_version', '=', MAPPING_VERSION)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Traces that were mapped by another version, in order of their ids. */
export async function listTracesToRemap(
  q: Queries,
  workspaceId: string,
  { after, limit }: { after: string; limit: number },
) {
  return selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select(['id', 'trace_id as traceId', 'span_count as spanCount'])
    .where('id', '>', after)
    .where('deleted_at', 'is', null)
    .where('mapping_version', '<>', MAPPING_VERSION)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function countTracesToRemap(q: Queries, workspaceId: string): Promise<number> {
  const { count } = await selectScoped(q, 'traces', { workspace_id: workspaceId, deleted_at: null })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('mapping_version', '<>', MAPPING_VERSION)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** For the command that remaps all workspaces. */
export async function listWorkspaceIdsOfAll(q: Queries): Promise<string[]> {
  const rows = await q.selectFrom('workspaces').select('id').where('deleted_at', 'is', null).orderBy('id').execute()
  return rows.map(({ id }) => id)
}
