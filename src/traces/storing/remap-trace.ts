/**
 * Maps a stored trace again, as if all of its spans arrived now: the meaning of each span, the tree, the row of the trace, its facets and
 * its part of the rollups. The received data is stored for this purpose (`stored-span.ts`); only derived data is written. A trace without
 * differences stays unchanged, so remapping can be repeated any number of times.
 *
 * The caller locks the trace, links it with datasets and runs afterwards, and writes the rollups, in the same transaction.
 */
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { chunkRows } from '../chunk-rows.ts'
import { setListFields } from '../list-fields.ts'
import { listSpanSizes } from '../trace-queries.ts'
import { contentBytes, type PreparedSpan, storedContentBytes } from './build-span-row.ts'
import { deleteFacets, type FacetValue, facetsOfSpans, facetsOfTrace, insertFacets } from './facet-queries.ts'
import { UNKNOWN_SOURCE } from './field-sources.ts'
import { listStoredSpans, replaceSpans, updateMappingVersion, updateSpanPlace } from './remap-queries.ts'
import { type SpanMapping, SpanRemapper } from './remap-span.ts'
import type { RollupChanges } from './rollup-queries.ts'
import {
  applySpans,
  chooseComponents,
  countOnce,
  type StoredTrace,
  startTrace,
  type TraceBatch,
  without,
} from './store-spans.ts'
import { belongToRun, newTraceState } from './trace-state.ts'
import { type KnownTrace, updateTrace } from './trace-state-queries.ts'
import { SEVERAL } from './usage-coverage.ts'

export type Remapping = SpanMapping & {
  rollups: RollupChanges
  /** Returns which of these datasets exist, with the component of each. */
  findDatasets(datasetIds: string[]): Promise<ReadonlyMap<string, { componentId: string }>>
}

/** The trace must be locked until the transaction ends: `trace.state` is the state of its row. */
export async function remapTrace(tx: Queries, remapping: Remapping, trace: KnownTrace): Promise<StoredTrace> {
  const { workspaceId, rollups } = remapping
  const { id: traceDbId, traceId, state: before } = trace
  const { spans, places, facets } = await remapSpans(tx, remapping, trace)
  // If the sender set the component in the request, no span names it. So the trace keeps its component.
  const state = { ...newTraceState(), componentId: before.componentId }
  const arrival = startTrace({ id: traceDbId, traceId, state }, spans)
  applySpans(arrival)
  for (const field of ['component', 'datasetId'] as const) {
    // The sender set it for the whole trace, which overrides the spans.
    if (before.sources[field]?.spanId === UNKNOWN_SOURCE.spanId) state.sources[field] = UNKNOWN_SOURCE
  }
  if (before.source === 'run') belongToRun(state)
  await chooseComponentAgain(tx, remapping, arrival)
  const coveredSpanIds = await placeSpansAgain(tx, { workspaceId, traceDbId }, arrival, places)
  if (state.usageScope === SEVERAL) await countOnce(tx, workspaceId, arrival, coveredSpanIds)
  await setListFields(tx, workspaceId, arrival)
  await updateTrace(tx, workspaceId, arrival.trace)
  await updateMappingVersion(tx, { workspaceId, traceDbId })
  await replaceFacets(tx, workspaceId, traceDbId, {
    known: [...facets, ...facetsOfTrace(before)],
    own: [...facetsOfSpans(spans.values()), ...facetsOfTrace(state)],
  })
  rollups.add(before, -1)
  rollups.add(state, 1)
  rollups.began(traceDbId, state.startNs)
  return { ...arrival.trace, before }
}

const ALL_SPANS = { limit: 2_147_483_647, offset: 0 }

type Place = { covered: number; orphan: number }

type RemappedSpans = {
  /** In order of time, without the row values, because a trace may be too large for memory. */
  spans: Map<string, PreparedSpan>
  places: Map<string, Place>
  /** The facets of the spans before remapping. */
  facets: FacetValue[]
}

/** Writes every span that differs, and returns all spans for the state of the trace. */
async function remapSpans(tx: Queries, mapping: Remapping, trace: KnownTrace): Promise<RemappedSpans> {
  const inTrace = { workspaceId: mapping.workspaceId, traceDbId: trace.id }
  const remapper = new SpanRemapper(tx, mapping)
  const spans = new Map<string, PreparedSpan>()
  const places = new Map<string, Place>()
  const facets: FacetValue[] = []
  let movedNs: bigint | undefined
  for (const chunk of chunkRows(await listSpanSizes(tx, inTrace, ALL_SPANS))) {
    const ids = chunk.map(({ id }) => id)
    const rows = new Map((await listStoredSpans(tx, inTrace, ids)).map((row) => [row.spanId, row]))
    await remapper.load([...rows.values()])
    facets.push(...facetsOfSpans(rows.values()))
    const changed: PreparedSpan[] = []
    for (const id of ids) {
      const row = rows.get(id)
      if (!row) continue
      const { prepared, isChanged } = remapper.remap(row, trace.traceId, trace.id)
      places.set(id, row)
      spans.set(id, { ...prepared, values: [] })
      // A rewritten span moves behind the others with the same start time, so those that followed it must be rewritten too.
      if (!isChanged && prepared.startNs !== movedNs) continue
      movedNs = prepared.startNs
      changed.push(prepared)
      mapping.rollups.storedBytes += contentBytes(prepared) - storedContentBytes(row)
    }
    await replaceSpans(tx, inTrace, changed)
    await yieldToEventLoop()
  }
  return { spans, places, facets }
}

async function chooseComponentAgain(tx: Queries, remapping: Remapping, arrival: TraceBatch): Promise<void> {
  if (arrival.trace.state.componentId !== null) return
  const datasetIds = new Set<string>()
  for (const { links } of arrival.spans.values()) if (links.datasetId !== undefined) datasetIds.add(links.datasetId)
  const datasets = datasetIds.size === 0 ? new Map() : await remapping.findDatasets([...datasetIds])
  await chooseComponents(tx, { workspaceId: remapping.workspaceId, datasets }, [arrival])
}

async function placeSpansAgain(
  tx: Queries,
  inTrace: { workspaceId: string; traceDbId: string },
  { nodes, orphans }: TraceBatch,
  places: ReadonlyMap<string, Place>,
): Promise<string[]> {
  const coveredSpanIds: string[] = []
  for (const [spanId, before] of places) {
    const covered = nodes.get(spanId)?.covered ?? 0
    if (covered !== 0) coveredSpanIds.push(spanId)
    const orphan = orphans.has(spanId) ? 1 : 0
    if (covered === before.covered && orphan === before.orphan) continue
    await updateSpanPlace(tx, inTrace, { spanId, covered, orphan })
  }
  return coveredSpanIds
}

async function replaceFacets(
  tx: Queries,
  workspaceId: string,
  traceDbId: string,
  { known, own }: { known: FacetValue[]; own: FacetValue[] },
): Promise<void> {
  await deleteFacets(tx, workspaceId, { traceDbId, values: without(known, own) })
  await insertFacets(tx, workspaceId, [{ traceDbId, values: without(own, known) }])
}
