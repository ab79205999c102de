/**
 * The row of a trace, computed span by span. Spans arrive in any order and in any number of batches, and the result is always the same
 * (`field-sources.ts` defines which span wins where several differ). Pure: the caller reads and writes the state.
 */
import type { Tables } from '../../storage/tables.ts'
import type { PreparedSpan } from './build-span-row.ts'
import {
  type FieldSources,
  readFieldSources,
  type SourcedField,
  takesPrecedence,
  writeFieldSources,
} from './field-sources.ts'
import { type SpanPrompt, TRACE_SOURCES, type TraceSource } from './mapped-span.ts'
import { addPrompt, NO_PROMPTS, readPrompts, writePrompts } from './trace-prompts.ts'

/** Bounds the cost of a sender that sends everything as tags. The first tags in sort order are stored. */
const TAGS_MAX = 100

export type OtherSource = Exclude<TraceSource, 'production'>

const OTHER_SOURCES: readonly OtherSource[] = TRACE_SOURCES.filter((source) => source !== 'production')

/** All that is stored of the state, in the order of the columns. Reading, inserting and updating a trace derive from it. */
export const STATE_COLUMNS = {
  name: text('name'),
  /** The source of the name: an attribute that names the trace, its root, or the earliest span while there is no root. */
  namedBy: word('named_by', ['nothing', 'trace', 'root', 'first']),
  status: word('status', ['ok', 'error']),
  componentId: text('component_id'),
  service: text('service'),
  environment: text('environment'),
  sessionId: text('session_id'),
  userId: text('user_id'),
  tags: column<string[]>({
    column: 'tags',
    initial: [],
    read: (stored) => JSON.parse(String(stored)),
    write: (tags) => JSON.stringify(tags),
  }),
  /** The names of a component, a dataset and a run that spans have reported. */
  links: column<PreparedSpan['links']>({
    column: 'links',
    initial: {},
    read: (stored) => (stored === null ? {} : JSON.parse(String(stored))),
    write: (links) => (Object.keys(links).length === 0 ? null : JSON.stringify(links)),
  }),
  /** Null for production. */
  source: column<OtherSource | null>({
    column: 'source',
    initial: null,
    read: (stored) => OTHER_SOURCES.find((known) => known === stored) ?? null,
    write: (source) => source,
  }),
  prompts: column<readonly SpanPrompt[]>({
    column: 'prompts',
    initial: NO_PROMPTS,
    read: (stored) => readPrompts(stored === null ? null : String(stored)),
    write: writePrompts,
  }),
  startNs: column<bigint>({ ...nanoseconds('start_ns'), initial: 0n, read: (stored) => BigInt(stored ?? 0) }),
  endNs: nanoseconds('end_ns'),
  spanCount: column<number>({ ...number('span_count'), initial: 0, read: Number }),
  errorCount: column<number>({ ...number('error_count'), initial: 0, read: Number }),
  totalTokens: number('total_tokens'),
  costUsd: number('cost_usd'),
  rootSpanId: text('root_span_id'),
  rootStatus: text('root_status'),
  rootNs: nanoseconds('root_ns'),
  firstLlmSpanId: text('first_llm_span_id'),
  firstLlmNs: nanoseconds('first_llm_ns'),
  lastLlmSpanId: text('last_llm_span_id'),
  lastLlmNs: nanoseconds('last_llm_ns'),
  /** The source span of each value that several spans may report. */
  sources: column<FieldSources>({
    column: 'field_sources',
    initial: {},
    read: (stored) => (stored === null ? {} : readFieldSources(String(stored))),
    write: writeFieldSources,
  }),
  /** The end of the last model or agent call that failed, and of the last model call that succeeded. */
  lastFailureNs: nanoseconds('last_failure_ns'),
  lastAnswerNs: nanoseconds('last_answer_ns'),
  /** The instrumentation that reported the usage of calls: `=` and its name, or `*` if there are several. */
  usageScope: text('usage_scope'),
  /** What lists show of the spans, as JSON (`list-fields.ts`). Null means unknown: a list then reads the spans. */
  modelSummary: text('model_summary'),
  preview: text('preview'),
}

export type TraceState = { [Field in keyof typeof STATE_COLUMNS]: (typeof STATE_COLUMNS)[Field]['initial'] }

export type StateColumn<Value> = {
  column: keyof Tables['traces']
  /** The value while the trace has no spans. */
  initial: Value
  /** Nanoseconds are read as text: drivers convert a large integer to a double, which has fewer digits. */
  isNanoseconds?: true
  read(stored: string | number | null): Value
  write(value: Value): string | number | bigint | null
}

function column<Value>(declared: StateColumn<Value>): StateColumn<Value> {
  return declared
}

function text(name: keyof Tables['traces']) {
  const read = (stored: string | number | null) => (stored === null ? null : String(stored))
  return column<string | null>({ column: name, initial: null, read, write: (value) => value })
}

function number(name: keyof Tables['traces']) {
  const read = (stored: string | number | null) => (stored === null ? null : Number(stored))
  return column<number | null>({ column: name, initial: null, read, write: (value) => value })
}

function nanoseconds(name: keyof Tables['traces']) {
  const read = (stored: string | number | null) => (stored === null ? null : BigInt(stored))
  return column<bigint | null>({ column: name, initial: null, isNanoseconds: true, read, write: (value) => value })
}

/** One of a few words. The first is the initial one, and stands for all words that are unknown. */
function word<const Word extends string>(name: keyof Tables['traces'], words: readonly [Word, ...Word[]]) {
  const read = (stored: string | number | null) => words.find((known) => known === stored) ?? words[0]
  return column<Word>({ column: name, initial: words[0], read, write: (value) => value })
}

// The entries have the fields of the type, each with the value of its own column.
const NO_SPANS = Object.fromEntries(
  Object.entries(STATE_COLUMNS).map(([field, { initial }]) => [field, initial]),
) as TraceState

export function newTraceState(): TraceState {
  return copyOf(NO_SPANS)
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
 * A root may have handled failures below it, and most senders set no status on success. It is overruled only if a model or an agent failed
 * and no model succeeded after that. If the root has no status and no model succeeded, any failure counts.
 */
function statusOf({ rootStatus, errorCount, lastFailureNs, lastAnswerNs }: TraceState): 'ok' | 'error' {
  if (rootStatus === 'error') return 'error'
  if (rootStatus !== 'ok' && lastAnswerNs === null) return errorCount > 0 ? 'error' : 'ok'
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
  if (span.source !== null && decides(state, 'source', span))
    state.source = span.source === 'production' ? null : span.source
  if (links.run !== undefined) belongToRun(state)
  if (span.prompt !== null) state.prompts = addPrompt(state.prompts, span.prompt)
}

/** An attribute that states the source takes precedence. It stays when the run is deleted: the trace was not of production before, either. */
export function belongToRun(state: TraceState): void {
  if (state.sources.source === undefined) state.source ??= 'run'
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
