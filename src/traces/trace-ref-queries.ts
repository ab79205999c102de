/**
 * A trace has two ids: ours and that of its sender. Clients may refer to it by either, even before it has arrived. References are stored
 * with the sender's id, so that the trace is found by both.
 */
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import { isUuid } from '../base/ids.ts'
import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { selectScoped } from '../storage/query-building.ts'

const REFS_PER_STATEMENT = 500
const OTEL_TRACE_ID = /^[0-9a-f]{32}$/i

/**
 * Converts references to the stored form, in the same order. A reference that is neither the id of a stored trace nor 32 hex digits stays
 * unchanged. Only references that look like our ids are looked up.
 */
export async function canonicalRefs(q: Queries, workspaceId: string, refs: readonly string[]): Promise<string[]> {
  const names = await findSenderNames(q, workspaceId, [...new Set(refs.filter(isUuid).map((ref) => ref.toLowerCase()))])
  return refs.map((ref) => (OTEL_TRACE_ID.test(ref) ? ref.toLowerCase() : (names.get(ref.toLowerCase()) ?? ref)))
}

/** Which of these references, in the stored form, belong to traces that have arrived. */
export async function findArrivedRefs(q: Queries, workspaceId: string, refs: readonly string[]): Promise<Set<string>> {
  const arrived = new Set<string>()
  for (const chunk of chunksOf(refs, REFS_PER_STATEMENT)) {
    const rows = await selectScoped(q, 'traces', { workspace_id: workspaceId })
      .select('trace_id')
      .where(inList(q, 'trace_id', chunk))
      .where('deleted_at', 'is', null)
      .execute()
    for (const { trace_id } of rows) arrived.add(trace_id)
  }
  return arrived
}

async function findSenderNames(q: Queries, workspaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const chunk of chunksOf(ids, REFS_PER_STATEMENT)) {
    const rows = await selectScoped(q, 'traces', { workspace_id: workspaceId })
      .select(['id', 'trace_id'])
      .where('id', 'in', chunk)
      .where('deleted_at', 'is', null)
      .execute()
    for (const { id, trace_id } of rows) names.set(id, trace_id)
    if (chunk.length === REFS_PER_STATEMENT) await yieldToEventLoop()
  }
  return names
}
