/** Finds traces of runs that do not say so: they were linked by a request. */
import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { inList, lockForUpdate } from '../../storage/dialect.ts'
import { prepared, selectScoped, updateScoped } from '../../storage/query-building.ts'
import { insertFacets } from './facet-queries.ts'
import { readFieldSources } from './field-sources.ts'
import { RollupChanges, type Summed } from './rollup-queries.ts'
import { STATE_COLUMNS } from './trace-state.ts'

const TRACES_PER_STATEMENT = 500

const selectLinked = prepared<{ workspaceId: string; traceIds: readonly string[] }>()((q, value) =>
  selectScoped(q, 'run_traces', { workspace_id: value('workspaceId') })
    .select('trace_ref as traceId')
    .where(inList(q, 'trace_ref', value('traceIds'))),
)

/** Which of these traces, by the ids of their senders, are linked to a run. Runs for every batch of spans with new traces. */
export async function findLinkedTraces(q: Queries, workspaceId: string, traceIds: string[]): Promise<Set<string>> {
  const linked = new Set<string>()
  for (const chunk of chunksOf(traceIds, TRACES_PER_STATEMENT))
    for (const { traceId } of await selectLinked(q, { workspaceId, traceIds: chunk })) linked.add(traceId)
  return linked
}

type MarkedTrace = Summed & { id: string }

/**
 * Marks the stored traces among these as traces of a run, except those whose attributes state another source, and returns the changes of
 * the rollups, which the caller writes at the end of its transaction. Locks the traces in order of their ids; the caller has locked the
 * component, and locks datasets and runs after it, as the storing of spans does.
 */
export async function markTracesOfRun(tx: Queries, workspaceId: string, traceIds: string[]): Promise<RollupChanges> {
  const rollups = new RollupChanges()
  for (const chunk of chunksOf(traceIds.toSorted(), TRACES_PER_STATEMENT)) {
    const marked = await lockProductionTraces(tx, workspaceId, chunk)
    if (marked.length > 0) {
      const ids = marked.map(({ id }) => id)
      await updateScoped(tx, 'traces', { workspace_id: workspaceId })
        .set({ source: 'run' })
        .where('id', 'in', ids)
        .execute()
      await insertFacets(
        tx,
        workspaceId,
        ids.map((traceDbId) => ({ traceDbId, values: [['source', 'run']] })),
      )
      for (const trace of marked) {
        rollups.add(trace, -1)
        rollups.add({ ...trace, source: 'run' }, 1)
      }
    }
    if (chunk.length === TRACES_PER_STATEMENT) await yieldToEventLoop()
  }
  return rollups
}

/** Those that no attribute assigns to production. */
async function lockProductionTraces(tx: Queries, workspaceId: string, traceIds: string[]): Promise<MarkedTrace[]> {
  const rows = await lockForUpdate(
    tx,
    selectScoped(tx, 'traces', { workspace_id: workspaceId, deleted_at: null })
      .select(['id', 'status', 'component_id', 'service', 'environment', 'total_tokens', 'cost_usd', 'prompts'])
      .select(['field_sources', sql<string>`cast(start_ns as text)`.as('start_ns')])
      .where('source', 'is', null)
      .where(inList(tx, 'trace_id', traceIds))
      .orderBy('trace_id'),
  ).execute()
  return rows
    .filter(({ field_sources }) => field_sources === null || readFieldSources(field_sources).source === undefined)
    .map((row) => ({
      id: row.id,
      startNs: BigInt(row.start_ns),
      componentId: row.component_id,
      status: STATE_COLUMNS.status.read(row.status),
      service: row.service,
      environment: row.environment,
      totalTokens: row.total_tokens,
      costUsd: row.cost_usd,
      source: null,
      prompts: STATE_COLUMNS.prompts.read(row.prompts),
    }))
}
