import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { inList, readBy, withoutIndex } from '../../storage/dialect.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { deleteScoped, prepared, selectScoped } from '../../storage/query-building.ts'

/** An event as it is stored. The ids are those of the sender. */
export type NewSpanEvent = { traceId: string; spanId: string; hash: string; json: string }

/** Called for every batch of spans, so it is a single index lookup. */
export async function hasPendingEvents(q: Queries, workspaceId: string): Promise<boolean> {
  return (await findAnyPending(q, { workspaceId })).length > 0
}

const findAnyPending = prepared<{ workspaceId: string }>()((q, value) =>
  q.selectFrom('pending_span_events').select('workspace_id').where('workspace_id', '=', value('workspaceId')).limit(1),
)

/** Events that wait for spans of these traces, in order of arrival. */
export async function listPendingEvents(
  q: Queries,
  workspaceId: string,
  traceIds: readonly string[],
): Promise<NewSpanEvent[]> {
  return (
    selectScoped(q, 'pending_span_events', { workspace_id: workspaceId })
      .select(['trace_id as traceId', 'span_id as spanId', 'hash', 'event as json'])
      .where(inList(q, 'trace_id', traceIds))
      // Otherwise all events that wait would be read in this order, to find a few of them.
      .orderBy(withoutIndex(q, 'position'))
      .execute()
  )
}

/** Skips events that are already pending. */
export async function insertPendingEvents(
  tx: Queries,
  workspaceId: string,
  { events, receivedAt }: { events: readonly NewSpanEvent[]; receivedAt: string },
): Promise<void> {
  await insertNewRows(
    tx,
    {
      table: 'pending_span_events',
      columns: ['workspace_id', 'trace_id', 'span_id', 'hash', 'event', 'bytes', 'received_at'],
      rows: events.map(({ traceId, spanId, hash, json }) => {
        return [workspaceId, traceId, spanId, hash, json, Buffer.byteLength(json), receivedAt]
      }),
    },
    ['hash'],
  )
}

export async function deletePendingEvents(
  tx: Queries,
  workspaceId: string,
  { traceId, spanIds }: { traceId: string; spanIds: readonly string[] },
): Promise<void> {
  await deleteScoped(tx, 'pending_span_events', { workspace_id: workspaceId, trace_id: traceId })
    .where(inList(tx, 'span_id', spanIds))
    .execute()
}

/** Deletes the pending events of traces that are deleted. */
export async function deletePendingOfTraces(
  tx: Queries,
  workspaceId: string,
  traceIds: readonly string[],
): Promise<void> {
  await deleteScoped(tx, 'pending_span_events', { workspace_id: workspaceId })
    .where(inList(tx, 'trace_id', traceIds))
    .execute()
}

/** Deletes the oldest events above the limit. Their spans are the least likely to arrive: they may have been sampled out. */
export async function deleteExcessPending(
  tx: Queries,
  workspaceId: string,
  { rowsMax, bytesMax }: { rowsMax: number; bytesMax: number },
): Promise<void> {
  await sql`delete from pending_span_events where workspace_id = ${workspaceId} and position in (
    select position from (
      select position, row_number() over newest as place, sum(bytes) over newest as held
      from pending_span_events where workspace_id = ${workspaceId}
      window newest as (order by position desc)) as waiting
    where place > ${sql.lit(rowsMax)} or held > ${sql.lit(bytesMax)})`.execute(tx)
}

/** For all workspaces. Returns how many were deleted; `limit` means that there may be more. */
export async function deleteOldPendingOfAnyWorkspace(
  tx: Queries,
  { before, limit }: { before: string; limit: number },
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('pending_span_events')
    .where('position', 'in', (q) =>
      q.selectFrom('pending_span_events').select('position').where('received_at', '<', before).limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Which of these spans are stored, as `traceId spanId`. May include spans that were not requested. */
export async function findStoredSpanNames(
  q: Queries,
  workspaceId: string,
  { traceIds, spanIds }: { traceIds: readonly string[]; spanIds: readonly string[] },
): Promise<Set<string>> {
  const rows = await q
    .selectFrom(readBy(q, { table: 'traces', alias: 't', index: 'traces_by_sender' }))
    .innerJoin('spans as s', (join) =>
      join.onRef('s.workspace_id', '=', 't.workspace_id').onRef('s.trace_id', '=', 't.id'),
    )
    .select(['t.trace_id as traceId', 's.span_id as spanId'])
    .where('t.workspace_id', '=', workspaceId)
    .where(inList(q, 't.trace_id', traceIds))
    .where('t.deleted_at', 'is', null)
    .where(inList(q, 's.span_id', spanIds))
    .execute()
  return new Set(rows.map(({ traceId, spanId }) => `${traceId} ${spanId}`))
}
