/**
 * Stores the spans of one request, in one transaction.
 *
 * A trace that is new with this batch is worked out in memory and written once. Where spans meet a trace that is there already,
 * its row is held, spans that are stored already are left as they are, and the others are taken into the row: a batch that is
 * sent again changes nothing, and the order in which batches come does not matter. Tokens and costs are kept from being
 * counted twice by the marks of `usage-coverage.ts`. Facets and sums follow in the same transaction.
 */
import { pauseEvery } from '../../base/event-loop.ts'
import { createdAtOf, type NewId } from '../../base/ids.ts'
import { findComponentIdsByName } from '../../components/component-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { contentBytes, type PreparedSpan, placeSpan, SPAN_COLUMNS, type StoredValue } from './build-span-row.ts'
import { countCallsOnce } from './count-calls-once.ts'
import { deleteFacets, type FacetValue, facetsOfSpans, facetsOfTrace, insertFacets } from './facets.ts'
import { UNKNOWN_TELLER } from './field-sources.ts'
import { SEVERAL, usageScopeWith } from './repeated-calls.ts'
import { RollupChanges } from './rollups.ts'
import { adoptOrphans, coverStoredSpans, findSpanIds } from './span-tree-queries.ts'
import { addSpan, copyOf, count, newTraceState, type TraceState } from './trace-state.ts'
import { findTraceStates, insertTraces, type KnownTrace, updateTrace } from './trace-state-queries.ts'
import { type CoverageNode, markCovered, tellsOf, uncovered } from './usage-coverage.ts'

const TRACES_PER_TURN = 20

export type StoreInput = {
  workspaceId: string
  spans: readonly PreparedSpan[]
  /** Given when the sender names the component by its id, and not by an attribute. */
  componentId?: string | undefined
  /** The datasets that spans name by id, which also tell the component. */
  datasets: ReadonlyMap<string, { componentId: string }>
}

/** A trace that got at least one new span, and how it was before; undefined if it is new. */
export type StoredTrace = KnownTrace & { before: TraceState | undefined }

export type TraceBatch = {
  trace: KnownTrace
  spans: Map<string, PreparedSpan>
  nodes: Map<string, CoverageNode>
  /** Parents that are stored, with what is told below them by this batch. */
  beyond: Map<string, number>
  orphans: ReadonlySet<string>
  /** The state as it was; undefined if the trace is new. */
  before: TraceState | undefined
}

export type Stored = {
  traces: StoredTrace[]
  unknownComponents: string[]
  /** Without the spans that were stored before. */
  added: { spans: number; bytes: number }
  /** To be written at the very end: the sums of an hour are what all senders wait for each other at. */
  rollups: RollupChanges
}

export async function storeSpans(tx: Queries, newId: NewId, input: StoreInput): Promise<Stored> {
  const { workspaceId } = input
  const arrivals = await arrivalsOf(tx, newId, input)
  for (const arrival of arrivals) applySpans(arrival)
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
  const rollups = await follow(tx, workspaceId, changed)
  const traces = changed.map(({ trace, before }) => ({ ...trace, before }))
  return { traces, unknownComponents, added: sizeOf(changed), rollups }
}

/** Sorts the spans by their trace, and finds out how they hang together, with each other and with what is stored. */
async function arrivalsOf(tx: Queries, newId: NewId, { workspaceId, spans }: StoreInput): Promise<TraceBatch[]> {
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
  // In the order of their names, so that two transactions with the same new traces never wait for each other.
  for (const [traceId, own] of [...byTrace].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const trace = known.get(traceId)
    if (trace) arrivals.push(await joining(tx, workspaceId, trace, own))
    else arrivals.push(beginning({ id: newId(), traceId, state: newTraceState() }, own))
    await pause()
  }
  return arrivals
}

/** A trace whose spans are all at hand. */
export function beginning(trace: KnownTrace, spans: Map<string, PreparedSpan>): TraceBatch {
  const nodes = nodesOf(spans)
  markCovered(nodes)
  const orphans = new Set<string>()
  for (const { spanId, parentSpanId } of spans.values()) {
    if (parentSpanId !== null && !spans.has(parentSpanId)) orphans.add(spanId)
  }
  return { trace, spans, nodes, beyond: new Map(), orphans, before: undefined }
}

async function joining(
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
    nodes.set(spanId, { spanId, parentSpanId, tells: tellsOf(span), covered: 0 })
  }
  return nodes
}

/**
 * The component that a sender names by its id, or that of the dataset that is named by its id, or the one that is named. A component
 * is matched by its name and never made: a mistyped name should not become a thing. Answers the names that are nobody's.
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
      // Whatever spans may name later: the sender has said it of the whole trace.
      state.tellers.component = UNKNOWN_TELLER
      state.tellers.datasetId = UNKNOWN_TELLER
      continue
    }
    const ofDataset = input.datasets.get(state.links.datasetId ?? '')
    if (ofDataset) state.componentId = ofDataset.componentId
    else if (state.links.component !== undefined) named.set(arrival, state.links.component)
  }
  if (named.size === 0) return []
  const names = [...new Set(named.values())]
  const ids = await findComponentIdsByName(tx, workspaceId, names)
  for (const [{ trace }, name] of named) trace.state.componentId = ids.get(name) ?? null
  return names.filter((name) => !ids.has(name))
}

/** Whether this batch has the word of a span that comes before the one that was believed. A dataset goes before a name. */
/** A trace whose component has been deleted is not told with every late span that there is none. */
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

/** Works the spans into the state of their trace. */
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

/** Has the code of a serialization failure: the whole transaction is then done again, and finds the trace. */
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

/** Goes up from the batch through what is stored: whoever told a sum there is taken out of the count again. */
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

/** Several instrumentations report calls of this trace: perhaps the same ones. */
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

/** Facets of what changed, and what changes in the sums. */
async function follow(tx: Queries, workspaceId: string, arrivals: TraceBatch[]): Promise<RollupChanges> {
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
    // A root that came late may have corrected what another span had said.
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
