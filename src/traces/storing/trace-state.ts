/**
 * The row of a trace, computed span by span. Spans arrive in any order and in any number of batches, and the result is always the same
 * (`field-sources.ts` defines which span wins where several differ). Pure: the caller reads and writes the state.
 */
import type { ListFields } from '../list-fields.ts'
import type { PreparedSpan } from './build-span-row.ts'
import { type FieldSources, type SourcedField, takesPrecedence } from './field-sources.ts'

/** Bounds the cost of a sender that sends everything as tags. The first tags in sort order are stored. */
const TAGS_MAX = 100

export type TraceState = {
  name: string | null
  /** The source of the name: an attribute that names the trace, its root, or the earliest span while there is no root. */
  namedBy: 'trace' | 'root' | 'first' | 'nothing'
  status: 'ok' | 'error'
  componentId: string | null
  service: string | null
  environment: string | null
  sessionId: string | null
  userId: string | null
  tags: string[]
  /** The names of a component, a dataset and a run that spans have reported. */
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
  /** The source span of each value that several spans may report. */
  sources: FieldSources
  /** The end of the last model or agent call that failed, and of the last model call that succeeded. */
  lastFailureNs: bigint | null
  lastAnswerNs: bigint | null
  /** The instrumentation that reported the usage of calls: `=` and its name, or `*` if there are several. */
  usageScope: string | null
} & ListFields

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
    sources: {},
    lastFailureNs: null,
    lastAnswerNs: null,
    usageScope: null,
    modelSummary: null,
    preview: null,
  }
}

/** A copy for comparison. The nested values that it shares with the state are replaced there and never modified. */
export function copyOf(state: TraceState): TraceState {
  return { ...state, tags: [...state.tags], links: { ...state.links }, sources: { ...state.sources } }
}

/** Adds a new span. Its usage is not counted here: see `count`. */
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
  if (span.kind === 'llm' || span.kind === 'agent') noteAnswer(state, span)
  state.status = statusOf(state)
  describeTrace(state, span)
  if (span.kind === 'llm') noteLlmSpan(state, span)
}

type Moment = { ns: bigint | null; spanId: string | null }

/** Of two spans with the same time, the smaller id comes first, so that the order of arrival does not matter. */
function isBefore(ns: bigint, spanId: string, other: Moment): boolean {
  return other.ns === null || ns < other.ns || (ns === other.ns && spanId < (other.spanId ?? ''))
}

/** The id of the earliest span is not stored, so of two spans with the same start time the smaller name wins. */
function isNamedBefore({ startNs, name }: PreparedSpan, state: TraceState): boolean {
  return startNs === state.startNs && name < (state.name ?? '')
}

function nameTrace(state: TraceState, span: PreparedSpan, is: { isEarliest: boolean; isRoot: boolean }): void {
  if (span.traceName !== null) {
    if (!takesPrecedence(span, state.sources.name)) return
    state.name = span.traceName
    state.namedBy = 'trace'
    state.sources.name = span
  } else if (is.isRoot && state.namedBy !== 'trace') {
    state.name = span.name
    state.namedBy = 'root'
  } else if (is.isEarliest && state.namedBy !== 'trace' && state.namedBy !== 'root') {
    state.name = span.name
    state.namedBy = 'first'
  }
}

/** When a model or agent call ends, its answer exists or the call has failed. */
function noteAnswer(state: TraceState, { kind, status, startNs, endNs }: PreparedSpan): void {
  const endedNs = endNs ?? startNs
  if (status === 'error') {
    if (state.lastFailureNs === null || endedNs > state.lastFailureNs) state.lastFailureNs = endedNs
  } else if (kind === 'llm' && (state.lastAnswerNs === null || endedNs > state.lastAnswerNs)) {
    state.lastAnswerNs = endedNs
  }
}

/**
 * A root with status ok may have handled failures below it. It is overruled only if a model or an agent failed and no model succeeded
 * after that. If the root has no status, any failure counts.
 */
function statusOf({ rootStatus, errorCount, lastFailureNs, lastAnswerNs }: TraceState): 'ok' | 'error' {
  if (rootStatus === 'error') return 'error'
  if (rootStatus !== 'ok') return errorCount > 0 ? 'error' : 'ok'
  const hasFailed = lastFailureNs !== null && (lastAnswerNs === null || lastAnswerNs <= lastFailureNs)
  return hasFailed ? 'error' : 'ok'
}

const LINKS = ['component', 'dataset', 'run', 'datasetId', 'itemId'] as const

function describeTrace(state: TraceState, span: PreparedSpan): void {
  const { service, environment, sessionId, userId, tags, links } = span
  if (service !== null && decides(state, 'service', span)) state.service = service
  if (environment !== null && decides(state, 'environment', span)) state.environment = environment
  if (sessionId !== null && decides(state, 'sessionId', span)) state.sessionId = sessionId
  if (userId !== null && decides(state, 'userId', span)) state.userId = userId
  if (tags.length > 0) addTags(state, tags)
  for (const field of LINKS) {
    const name = links[field]
    if (name !== undefined && decides(state, field, span)) state.links[field] = name
  }
}

/** Whether the span takes precedence for this field. If so, it becomes the source. */
function decides({ sources }: TraceState, field: SourcedField, span: PreparedSpan): boolean {
  if (!takesPrecedence(span, sources[field])) return false
  sources[field] = span
  return true
}

function addTags(state: TraceState, tags: readonly string[]): void {
  const known = new Set(state.tags)
  for (const tag of tags) known.add(tag)
  if (known.size > state.tags.length) state.tags = [...known].sort().slice(0, TAGS_MAX)
}

/** If the root has no input or output, the first and the last model call provide them. */
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

/** Adds the usage of a span to the trace, or subtracts it when a span below turns out to report it in more detail. */
export function count(state: TraceState, { totalTokens, costUsd }: Counted, sign: 1 | -1): void {
  if (totalTokens !== null) state.totalTokens = (state.totalTokens ?? 0) + sign * totalTokens
  if (costUsd !== null) state.costUsd = (state.costUsd ?? 0) + sign * costUsd
}
