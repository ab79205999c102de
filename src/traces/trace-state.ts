/**
 * What a trace's own row says, worked out span by span. Spans come in any order and in any number of batches: name, status, times,
 * counts and contents come out the same whatever came first. Where several spans tell different sessions, users or services and the
 * root tells none, the first to arrive is believed. Pure: the caller reads the state and writes it.
 */
import type { PreparedSpan } from './prepare-span.ts'

/** More than anybody means; a sender that makes a tag of everything should not make the trace slow. */
const TAGS_MAX = 100

export type TraceState = {
  name: string | null
  /** What the name was taken from: an attribute that names the trace, its root, or the earliest span while there is no root. */
  namedBy: 'trace' | 'root' | 'first' | 'nothing'
  status: 'ok' | 'error'
  componentId: string | null
  service: string | null
  environment: string | null
  sessionId: string | null
  userId: string | null
  tags: string[]
  /** Names of a component, a dataset and a run, as far as spans have told them. */
  links: TraceLinkNames
  startNs: bigint
  endNs: bigint | null
  spanCount: number
  errorCount: number
  totalTokens: number | null
  costUsd: number | null
  rootSpanId: string | null
  rootStatus: string | null
  rootNs: bigint | null
  firstLlmSpanId: string | null
  firstLlmNs: bigint | null
  lastLlmSpanId: string | null
  lastLlmNs: bigint | null
}

type TraceLinkNames = PreparedSpan['links']

export function newTraceState(): TraceState {
  return {
    name: null,
    namedBy: 'nothing',
    status: 'ok',
    componentId: null,
    service: null,
    environment: null,
    sessionId: null,
    userId: null,
    tags: [],
    links: {},
    startNs: 0n,
    endNs: null,
    spanCount: 0,
    errorCount: 0,
    totalTokens: null,
    costUsd: null,
    rootSpanId: null,
    rootStatus: null,
    rootNs: null,
    firstLlmSpanId: null,
    firstLlmNs: null,
    lastLlmSpanId: null,
    lastLlmNs: null,
  }
}

/** Takes a span in that was not there before. Its usage is not counted here: see `count`. */
export function addSpan(state: TraceState, span: PreparedSpan): void {
  const isFirst = state.spanCount === 0
  const isEarliest = isFirst || span.startNs < state.startNs || isNamedBefore(span, state)
  const isRoot =
    span.parentSpanId === null && isBefore(span.startNs, span.spanId, { ns: state.rootNs, spanId: state.rootSpanId })
  state.spanCount += 1
  if (span.status === 'error') state.errorCount += 1
  nameTrace(state, span, { isEarliest, isRoot })
  if (isEarliest) state.startNs = span.startNs
  if (span.endNs !== null && (state.endNs === null || span.endNs > state.endNs)) state.endNs = span.endNs
  if (isRoot) {
    state.rootSpanId = span.spanId
    state.rootStatus = span.status
    state.rootNs = span.startNs
  }
  state.status = statusOf(state)
  describeTrace(state, span, isRoot)
  if (span.kind === 'llm') noteLlmSpan(state, span)
}

type Moment = { ns: bigint | null; spanId: string | null }

/** Of two spans at the same moment, the smaller id comes first: which of them arrived first must not matter. */
function isBefore(ns: bigint, spanId: string, other: Moment): boolean {
  return other.ns === null || ns < other.ns || (ns === other.ns && spanId < (other.spanId ?? ''))
}

/** The id of the earliest span is not kept, so between two of the same moment the smaller name decides. */
function isNamedBefore({ startNs, name }: PreparedSpan, state: TraceState): boolean {
  return startNs === state.startNs && name < (state.name ?? '')
}

function nameTrace(state: TraceState, span: PreparedSpan, is: { isEarliest: boolean; isRoot: boolean }): void {
  if (span.traceName !== null && state.namedBy !== 'trace') {
    state.name = span.traceName
    state.namedBy = 'trace'
  } else if (is.isRoot && state.namedBy !== 'trace') {
    state.name = span.name
    state.namedBy = 'root'
  } else if (is.isEarliest && state.namedBy !== 'trace' && state.namedBy !== 'root') {
    state.name = span.name
    state.namedBy = 'first'
  }
}

/** A root that says how it ended is believed: it may have dealt with what failed below it. Otherwise any failure counts. */
function statusOf({ rootStatus, errorCount }: TraceState): 'ok' | 'error' {
  if (rootStatus === 'error') return 'error'
  if (rootStatus === 'ok') return 'ok'
  return errorCount > 0 ? 'error' : 'ok'
}

/** The root knows best; until it comes, whoever tells something first. */
function describeTrace(state: TraceState, span: PreparedSpan, isRoot: boolean): void {
  if (span.service !== null && (isRoot || state.service === null)) state.service = span.service
  if (span.environment !== null && (isRoot || state.environment === null)) state.environment = span.environment
  if (span.sessionId !== null && (isRoot || state.sessionId === null)) state.sessionId = span.sessionId
  if (span.userId !== null && (isRoot || state.userId === null)) state.userId = span.userId
  for (const tag of span.tags) if (state.tags.length < TAGS_MAX && !state.tags.includes(tag)) state.tags.push(tag)
  const { component, dataset, run, datasetId, itemId } = span.links
  const { links } = state
  if (component !== undefined) links.component ??= component
  if (dataset !== undefined) links.dataset ??= dataset
  if (run !== undefined) links.run ??= run
  if (datasetId !== undefined) links.datasetId ??= datasetId
  if (itemId !== undefined) links.itemId ??= itemId
}

/** Where the root tells neither input nor output, the first and the last call of a model do. */
function noteLlmSpan(state: TraceState, span: PreparedSpan): void {
  if (span.hasInput && isBefore(span.startNs, span.spanId, { ns: state.firstLlmNs, spanId: state.firstLlmSpanId })) {
    state.firstLlmSpanId = span.spanId
    state.firstLlmNs = span.startNs
  }
  const endedNs = span.endNs ?? span.startNs
  const last = { ns: state.lastLlmNs, spanId: state.lastLlmSpanId }
  if (span.hasOutput && (last.ns === null || !isBefore(endedNs, span.spanId, last))) {
    state.lastLlmSpanId = span.spanId
    state.lastLlmNs = endedNs
  }
}

export type Counted = { totalTokens: number | null; costUsd: number | null }

/** Adds what a span used to the trace, or takes it away again when a span below turned out to tell it in more detail. */
export function count(state: TraceState, { totalTokens, costUsd }: Counted, sign: 1 | -1): void {
  if (totalTokens !== null) state.totalTokens = (state.totalTokens ?? 0) + sign * totalTokens
  if (costUsd !== null) state.costUsd = (state.costUsd ?? 0) + sign * costUsd
}
