/**
 * Stores the spans of one request in one transaction.
 *
 * A trace that is new in this batch is computed in memory and written once. If a trace exists, its row is locked, spans that are already
 * stored stay unchanged, and the others are merged into the row: sending a batch again changes nothing, and the order of batches does not
 * matter. The marks of `usage-coverage.ts` prevent tokens and costs from being counted twice. Facets and rollups are updated in the same
 * transaction.
 */
import { pauseEvery } from '../../base/event-loop.ts'
import { createdAtOf, type NewId } from '../../base/ids.ts'
import { findComponentIdsByName } from '../../components/component-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { setListFields } from '../list-fields.ts'
import { contentBytes, type PreparedSpan, placeSpan, SPAN_COLUMNS, type StoredValue } from './build-span-row.ts'
import { countCallsOnce } from './count-calls-once.ts'
import { deleteFacets, type FacetValue, facetsOfSpans, facetsOfTrace, insertFacets } from './facet-queries.ts'
import { UNKNOWN_SOURCE } from './field-sources.ts'
import { RollupChanges } from './rollup-queries.ts'
import { findLinkedTraces } from './run-source-queries.ts'
import { adoptOrphans, coverStoredSpans, findSpanIds } from './span-tree-queries.ts'
import { addSpan, belongToRun, copyOf, count, newTraceState, type TraceState } from './trace-state.ts'
import { findTraceStates, insertTraces, type KnownTrace, updateTrace } from './trace-state-queries.ts'
import { type CoverageNode, markCovered, reportedUsage, SEVERAL, uncovered, usageScopeWith } from './usage-coverage.ts'

const TRACES_PER_TURN = 20

export type StoreInput = {
  workspaceId: string
  spans: readonly PreparedSpan[]
  /** Set if the sender names the component by id and not by an attribute. */
  componentId?: string | undefined
  /** The datasets that spans name by id. They also determine the component. */
  datasets: ReadonlyMap<string, { componentId: string }>
  /** Creates unknown components that spans name, as far as that is allowed. Without it, none is created. */
  createComponents?: CreateComponents | undefined
}

/** Returns the ids of the components that exist now, by name. */
export type CreateComponents = (tx: Queries, names: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** A trace that received at least one new span, with its previous state; undefined if it is new. */
export type StoredTrace = KnownTrace & { before: TraceState | undefined }

export type TraceBatch = {
  trace: KnownTrace
  spans: Map<string, PreparedSpan>
  nodes: Map<string, CoverageNode>
  /** Stored parents, with the usage that this batch reports below them. */
  beyond: Map<string, number>
  orphans: ReadonlySet<string>
  /** The previous state; undefined if the trace is new. */
  before: TraceState | undefined
}

export type Stored = {
  traces: StoredTrace[]
  unknownComponents: string[]
  /** Excludes spans that were already stored. */
  added: { spans: number; bytes: number }
  /** Must be written last, because all senders contend for the total of the current hour. */
  rollups: RollupChanges
}

export async function storeSpans(tx: Queries, newId: NewId, input: StoreInput): Promise<Stored> {
  const { workspaceId } = input
  const arrivals = await buildTraceBatches(tx, newId, input)
  const linked = await findLinkedTraces(tx, workspaceId, newTraceIds(arrivals))
  for (const arrival of arrivals) {
    applySpans(arrival)
    if (linked.has(arrival.trace.traceId)) belongToRun(arrival.trace.state)
    await setListFields(tx, workspaceId, arrival)
  }
  const unknownComponents = await chooseComponents(tx, input, arrivals)
  await insertNewTraces(tx, workspaceId, arrivals)
  const changed = await insertSpans(tx, workspaceId, arrivals)
  const pause = pauseEvery(TRACES_PER_TURN)
  for (const arrival of changed) {
    const isShared = arrival.trace.state.usageScope === SEVERAL
    if (!arrival.before && !isShared) continue
    const coveredSpanIds = await coverStored(tx, workspaceId, arrival)
    if (isShared) await countOnce(tx, workspaceId, arrival, coveredSpanIds)
    await updateTrace(tx, workspaceId, arrival.trace)
    await pause()
  }
  const rollups = await updateFacetsAndRollups(tx, workspaceId, changed)
  const traces = changed.map(({ trace, before }) => ({ ...trace, before }))
  return { traces, unknownComponents, added: sizeOf(changed), rollups }
}

/** A stored trace was marked when it was linked. */
function newTraceIds(arrivals: readonly TraceBatch[]): string[] {
  return arrivals.flatMap(({ before, trace }) => (before ? [] : trace.traceId))
}

/** Groups the spans by trace, and connects them with each other and with the stored spans. */
async function buildTraceBatches(tx: Queries, newId: NewId, { workspaceId, spans }: StoreInput): Promise<TraceBatch[]> {
  const byTrace = new Map<string, Map<string, PreparedSpan>>()
  for (const span of spans) {
    const own = byTrace.get(span.traceId)
    if (!own) byTrace.set(span.traceId, new Map([[span.spanId, span]]))
    else if (!own.has(span.spanId)) own.set(span.spanId, span)
  }
  const known = new Map<string, KnownTrace>()
  for (const trace of await findTraceStates(tx, workspaceId, [...byTrace.keys()])) known.set(trace.traceId, trace)
  const arrivals: TraceBatch[] = []
  const pause = pauseEvery(TRACES_PER_TURN)
  // In order of their names, so that transactions with the same new traces never deadlock.
  for (const [traceId, own] of [...byTrace].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const trace = known.get(traceId)
    if (trace) arrivals.push(await mergeIntoTrace(tx, workspaceId, trace, own))
    else arrivals.push(startTrace({ id: newId(), traceId, state: newTraceState() }, own))
    await pause()
  }
  return arrivals
}

/** A trace whose spans are all in memory. */
export function startTrace(trace: KnownTrace, spans: Map<string, PreparedSpan>): TraceBatch {
  const nodes = nodesOf(spans)
  markCovered(nodes)
  const orphans = new Set<string>()
  for (const { spanId, parentSpanId } of spans.values()) {
    if (parentSpanId !== null && !spans.has(parentSpanId)) orphans.add(spanId)
  }
  return { trace, spans, nodes, beyond: new Map(), orphans, before: undefined }
}

async function mergeIntoTrace(
  tx: Queries,
  workspaceId: string,
  trace: KnownTrace,
  spans: Map<string, PreparedSpan>,
): Promise<TraceBatch> {
  const inTrace = { workspaceId, traceDbId: trace.id }
  const stored = await findSpanIds(tx, inTrace, [...spans.keys()])
  for (const spanId of stored) spans.delete(spanId)
  const parentIds = new Set<string>()
  for (const { parentSpanId } of spans.values()) {
    if (parentSpanId !== null && !spans.has(parentSpanId)) parentIds.add(parentSpanId)
  }
  const parents = await findSpanIds(tx, inTrace, [...parentIds])
  const orphans = new Set<string>()
  for (const { spanId, parentSpanId } of spans.values()) {
    if (parentSpanId !== null && !spans.has(parentSpanId) && !parents.has(parentSpanId)) orphans.add(spanId)
  }
  const nodes = nodesOf(spans)
  for (const [spanId, bits] of await adoptOrphans(tx, inTrace, [...spans.keys()])) {
    const node = nodes.get(spanId)
    if (node) node.covered |= bits
  }
  return { trace, spans, nodes, beyond: markCovered(nodes), orphans, before: copyOf(trace.state) }
}

function nodesOf(spans: ReadonlyMap<string, PreparedSpan>): Map<string, CoverageNode> {
  const nodes = new Map<string, CoverageNode>()
  for (const span of spans.values()) {
    const { spanId, parentSpanId } = span
    nodes.set(spanId, { spanId, parentSpanId, reported: reportedUsage(span), covered: 0 })
  }
  return nodes
}

/**
 * Sets the component: the one that the sender names by id, or that of the dataset that is named by id, or the one that spans name. A
 * component is matched by name. By default none is created, so that a mistyped name does not create one. Returns the names that match no
 * component.
 */
export async function chooseComponents(
  tx: Queries,
  input: Omit<StoreInput, 'spans'>,
  arrivals: TraceBatch[],
): Promise<string[]> {
  const { workspaceId, componentId } = input
  const named = new Map<TraceBatch, string>()
  for (const arrival of arrivals) {
    const { state } = arrival.trace
    const isOpen = state.componentId === null && (componentId !== undefined || isNamedNow(arrival))
    if (!isOpen && !isMoved(arrival)) continue
    if (componentId !== undefined) {
      state.componentId ??= componentId
      // The sender set the component for the whole trace, which overrides the spans.
      state.sources.component = UNKNOWN_SOURCE
      state.sources.datasetId = UNKNOWN_SOURCE
      continue
    }
    const ofDataset = input.datasets.get(state.links.datasetId ?? '')
    if (ofDataset) state.componentId = ofDataset.componentId
    else if (state.links.component !== undefined) named.set(arrival, state.links.component)
  }
  if (named.size === 0) return []
  const names = [...new Set(named.values())]
  const ids = await findComponentIdsByName(tx, workspaceId, names)
  const unknown = names.filter((name) => !ids.has(name))
  if (unknown.length > 0 && input.createComponents) {
    for (const [name, id] of await input.createComponents(tx, unknown)) ids.set(name, id)
  }
  for (const [{ trace }, name] of named) trace.state.componentId = ids.get(name) ?? null
  return names.filter((name) => !ids.has(name))
}

/** Whether this batch names a component or a dataset. Late spans of a trace whose component was deleted do not repeat the warning. */
function isNamedNow({ before, spans }: TraceBatch): boolean {
  if (!before) return true
  for (const { links } of spans.values()) {
    if (links.component !== undefined || links.datasetId !== undefined) return true
  }
  return false
}

function isMoved({ before, trace: { state } }: TraceBatch): boolean {
  const { component, datasetId } = before?.links ?? {}
  if (datasetId !== state.links.datasetId) return true
  return datasetId === undefined && component !== state.links.component
}

/** Merges the spans into the state of their trace. */
export function applySpans({ trace: { state }, spans, nodes }: TraceBatch): void {
  for (const span of spans.values()) {
    addSpan(state, span)
    count(state, uncovered(span, nodes.get(span.spanId)?.covered ?? 0), 1)
    if (span.call !== null) state.usageScope = usageScopeWith(state.usageScope, span.call)
  }
}

async function insertNewTraces(tx: Queries, workspaceId: string, arrivals: TraceBatch[]): Promise<void> {
  const fresh = arrivals
    .filter(({ before }) => !before)
    .map(({ trace }) => ({ ...trace, createdAt: createdAtOf(trace.id) }))
  const inserted = await insertTraces(tx, workspaceId, fresh)
  if (inserted.includes(false)) throw new TraceRaceError('another process has begun the same trace at this moment')
}

/** Has the code of a serialization failure, so that the whole transaction is retried and finds the trace. */
export class TraceRaceError extends Error {
  readonly code = '40001'
}

async function insertSpans(tx: Queries, workspaceId: string, arrivals: TraceBatch[]): Promise<TraceBatch[]> {
  const rows: StoredValue[][] = []
  for (const { trace, spans, nodes, orphans } of arrivals) {
    for (const span of spans.values()) {
      const covered = nodes.get(span.spanId)?.covered ?? 0
      rows.push(placeSpan(span, { workspaceId, traceDbId: trace.id, covered, isOrphan: orphans.has(span.spanId) }))
    }
  }
  await insertNewRows(tx, { table: 'spans', columns: SPAN_COLUMNS, rows }, ['span_id'])
  return arrivals.filter(({ spans }) => spans.size > 0)
}

/** Walks up from the batch through the stored spans. Usage of an ancestor that is a sum is no longer counted. */
async function coverStored(tx: Queries, workspaceId: string, { trace, beyond }: TraceBatch): Promise<string[]> {
  const inTrace = { workspaceId, traceDbId: trace.id }
  const coveredSpanIds: string[] = []
  for (const [spanId, bits] of beyond) {
    for (const span of await coverStoredSpans(tx, inTrace, { spanId, bits })) {
      count(trace.state, uncovered(span, span.covered), -1)
      count(trace.state, uncovered(span, span.covered | bits), 1)
      coveredSpanIds.push(span.spanId)
    }
  }
  return coveredSpanIds
}

/** Several instrumentations report calls of this trace, which may be the same calls. */
export async function countOnce(
  tx: Queries,
  workspaceId: string,
  { trace, spans }: TraceBatch,
  coveredSpanIds: string[],
): Promise<void> {
  const responseIds = new Set<string>()
  for (const { call } of spans.values()) if (call !== null) responseIds.add(call.responseId)
  const inTrace = { workspaceId, traceDbId: trace.id }
  await countCallsOnce(tx, inTrace, { state: trace.state, touched: { responseIds, coveredSpanIds } })
}

/** Updates the facets that changed and collects the changes of the rollups. */
async function updateFacetsAndRollups(
  tx: Queries,
  workspaceId: string,
  arrivals: TraceBatch[],
): Promise<RollupChanges> {
  const rollups = new RollupChanges()
  const facets: { traceDbId: string; values: FacetValue[] }[] = []
  const pause = pauseEvery(TRACES_PER_TURN)
  for (const { trace, spans, before } of arrivals) {
    if (before) rollups.add(before, -1)
    rollups.add(trace.state, 1)
    rollups.began(trace.id, trace.state.startNs)
    const known = before ? facetsOfTrace(before) : []
    const own = facetsOfTrace(trace.state)
    facets.push({ traceDbId: trace.id, values: [...facetsOfSpans(spans.values()), ...without(own, known)] })
    // A late root may have replaced the value of another span.
    const values = without(known, own)
    if (values.length > 0) await deleteFacets(tx, workspaceId, { traceDbId: trace.id, values })
    await pause()
  }
  await insertFacets(tx, workspaceId, facets)
  return rollups
}

function sizeOf(arrivals: TraceBatch[]): { spans: number; bytes: number } {
  const size = { spans: 0, bytes: 0 }
  for (const { spans } of arrivals) {
    size.spans += spans.size
    for (const span of spans.values()) size.bytes += contentBytes(span)
  }
  return size
}

export function without(values: readonly FacetValue[], others: readonly FacetValue[]): FacetValue[] {
  const names = new Set(others.map(([facet, value]) => `${facet} ${value}`))
  return values.filter(([facet, value]) => !names.has(`${facet} ${value}`))
}
