/**
 * Collects what has been read of a request, independent of its encoding. Decides which spans are stored, what is changed to store them,
 * and which warnings the sender gets.
 */
import { AppError } from '../../base/errors.ts'
import { storableText } from '../../base/text.ts'
import {
  type Attributes,
  clampTime,
  type ReceivedBatch,
  type ReceivedEvent,
  type ReceivedLink,
  type ReceivedSpan,
  type ResourceScope,
} from '../../traces/storing/received-span.ts'

const SPANS_MAX = 10_000
const ATTRIBUTES_MAX = 1_000
export const VALUE_DEPTH_MAX = 64
const TEXT_MAX = 1 << 20
const KEY_MAX = 1 << 16
const NOTES_MAX = 20

/**
 * Limits data that is small on the wire but large in memory: 20 MiB can contain ten million empty events. A primitive value costs 1, an
 * object costs 8. Vectors such as embeddings cost nothing, because they are no larger in memory.
 */
const COST_MAX = 2_000_000
export const OBJECT_COST = 8
/** Per span. A span is read without a pause, so this bounds the pause to some tens of milliseconds. */
const SPAN_COST_MAX = 150_000
/** In addition, of a span: a name of a map and an event need several times as long as a value. */
export const NAME_COST = 8
export const EVENT_COST = 16

const NO_NOTES: readonly string[] = []
const NOT_TRACES = 'This looks like OTLP logs or metrics, not traces; send those to /v1/logs or /v1/metrics'

/** A span as it was on the wire. Ids are lower-case hex digits, or the value that was sent instead; empty means absent. */
export type SpanDraft = {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  kind: number
  startNs: bigint
  endNs: bigint
  attributes: Attributes
  events: ReceivedEvent[]
  links: ReceivedLink[]
  statusCode: number
  statusMessage: string
  resourceScope: ResourceScope
}

export const NO_ATTRIBUTES: Attributes = new Map()

/** For decoders to fill. Absent fields have the default values of protobuf. */
export function emptySpan(resourceScope: ResourceScope, attributes: Attributes): SpanDraft {
  return {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 0,
    startNs: 0n,
    endNs: 0n,
    attributes,
    events: [],
    links: [],
    statusCode: 0,
    statusMessage: '',
    resourceScope,
  }
}

/** Stores only the result of `keep` for each span. */
export class BatchDraft<Kept = unknown> {
  readonly #keep: (span: ReceivedSpan) => Kept
  readonly #spans: Kept[] = []
  readonly #rejections = new Map<string, number>()
  readonly #warnings = new Set<string>()
  #spanCount = 0
  #idlessCount = 0
  #costLeft = COST_MAX
  #spanCostLeft = SPAN_COST_MAX
  #replacedCount = 0
  // State of the span that is being read:
  #notes = NO_NOTES
  #rejectionReason: string | undefined
  #wasCut = false

  constructor(keep: (span: ReceivedSpan) => Kept) {
    this.#keep = keep
  }

  /** Must be called before any part of a span is read. */
  beginSpan(): void {
    this.#spanCount += 1
    if (this.#spanCount > SPANS_MAX) {
      throw new AppError(413, `The request has more than ${SPANS_MAX} spans; send them in several requests`)
    }
    this.beginRecord()
  }

  /** Must be called before any part of a log record is read. The number of records is limited only by their cost. */
  beginRecord(): void {
    this.#spanCostLeft = SPAN_COST_MAX
    this.#notes = NO_NOTES
    this.#rejectionReason = undefined
  }

  /** The reason why the current record is rejected; undefined if it is accepted. */
  get rejectionReason(): string | undefined {
    return this.#rejectionReason
  }

  spend(cost: number): void {
    this.#costLeft -= cost
    this.#spanCostLeft -= cost
    if (this.#spanCostLeft < 0) throw new AppError(413, 'A span has too many attributes, events and values')
    if (this.#costLeft < 0) throw tooManyValues()
  }

  /** For what is slow to read: a request may have much of it, but not in one span. */
  spendOfSpan(cost: number): void {
    this.#spanCostLeft -= cost
  }

  /** Adds a note, visible to users, about a change to the current span. */
  note(text: string): void {
    if (this.#notes.length >= NOTES_MAX || this.#notes.includes(text)) return
    this.#notes = [...this.#notes, text]
  }

  /** Rejects the current span. The decoder still reads it to the end. */
  reject(reason: string): void {
    this.#rejectionReason ??= reason
  }

  /** An invalid resource or scope does not reject its spans. Its valid parts are stored. */
  warnInsteadOfRejecting(): void {
    if (this.#rejectionReason !== undefined) this.#warnings.add(`${this.#rejectionReason}; the rest of it is kept`)
    this.#rejectionReason = undefined
  }

  countReplaced(count: number): void {
    this.#replacedCount += count
  }

  /** For text that may contain any character. Decoders that read bytes do this themselves and call `countReplaced`. */
  clean(text: string): string {
    const stored = storableText(text)
    if (stored !== text) {
      this.#replacedCount += 1
      this.noteReplaced()
    }
    return stored
  }

  noteReplaced(): void {
    this.note('characters that cannot be stored were replaced')
  }

  hasRoom(attributes: Attributes): boolean {
    if (attributes.size < ATTRIBUTES_MAX) return true
    this.reject(`There are more than ${ATTRIBUTES_MAX} attributes`)
    return false
  }

  isKey(key: string): boolean {
    if (key.length <= KEY_MAX) return true
    this.reject('The key of an attribute is longer than 64 KiB')
    return false
  }

  /** Truncates a value at any depth of an attribute. `noteCut` then adds a note with the name of the attribute. */
  cutText(text: string): string {
    if (text.length <= TEXT_MAX) return text
    this.#wasCut = true
    return firstMebibyte(text)
  }

  noteCut(key: string): void {
    if (!this.#wasCut) return
    this.#wasCut = false
    this.note(`attribute ${key.slice(0, 100)} cut to 1 MiB`)
  }

  /** Truncates text that is not in an attribute. */
  cutName(text: string, what: string): string {
    if (text.length <= TEXT_MAX) return text
    this.note(`${what} cut to 1 MiB`)
    return firstMebibyte(text)
  }

  addSpan(draft: SpanDraft): void {
    const { traceId, spanId, parentSpanId } = draft
    if (traceId === '' && spanId === '') this.#idlessCount += 1
    const hasParent = parentSpanId !== '' && parentSpanId !== NO_SPAN
    const reason = rejectionReason(draft, hasParent) ?? this.#rejectionReason
    if (reason !== undefined) {
      this.#rejections.set(reason, (this.#rejections.get(reason) ?? 0) + 1)
      return
    }
    const { startNs, endNs } = this.#times(draft)
    const span: ReceivedSpan = {
      traceId,
      spanId,
      parentSpanId: hasParent ? parentSpanId : null,
      name: draft.name,
      otelKind: draft.kind >= 0 && draft.kind <= 5 ? draft.kind : 0,
      startNs,
      endNs,
      attributes: draft.attributes,
      events: draft.events,
      links: draft.links,
      status: draft.statusCode === 2 ? 'error' : draft.statusCode === 1 ? 'ok' : 'unset',
      statusMessage: draft.statusMessage,
      resourceScope: draft.resourceScope,
      notes: this.#notes,
    }
    this.#spans.push(this.#keep(span))
  }

  /** Clamps a time to the range that the database can store. */
  time(given: bigint, what: string): bigint {
    const held = clampTime(given)
    if (held !== given) this.note(`${what} clamped`)
    return held
  }

  isLink({ traceId, spanId }: { traceId: string; spanId: string }): boolean {
    if (isTraceId(traceId) && isSpanId(spanId)) return true
    this.note('a link without valid ids was left out')
    return false
  }

  /** For a request that contains another signal and no spans. */
  warnOfOtherSignal(): void {
    this.#warnings.add(NOT_TRACES)
  }

  finish(): ReceivedBatch<Kept> {
    const rejections = [...this.#rejections]
    const problems = rejections.map(([reason, count]) => `${reason} (${count} ${count === 1 ? 'span' : 'spans'})`)
    if (this.#spanCount > 0 && this.#idlessCount === this.#spanCount) problems.unshift(NOT_TRACES)
    if (this.#replacedCount > 0) {
      problems.push(`${this.#replacedCount} values had characters that cannot be stored; they were replaced by U+FFFD`)
    }
    return {
      spans: this.#spans,
      rejectedCount: rejections.reduce((sum, [, count]) => sum + count, 0),
      problems: [...problems, ...this.#warnings],
    }
  }

  #times({ startNs, endNs }: SpanDraft): { startNs: bigint; endNs: bigint | null } {
    const start = this.time(startNs, 'start time')
    const end = this.time(endNs, 'end time')
    if (end === 0n) {
      if (start === 0n) this.note('start time missing')
      return { startNs: start, endNs: null }
    }
    if (start === 0n) {
      // Otherwise the duration would reach back to 1970.
      this.note('start time missing; the end time is taken')
      return { startNs: end, endNs: end }
    }
    if (end >= start) return { startNs: start, endNs: end }
    this.note('end time was before start time')
    return { startNs: start, endNs: start }
  }
}

/** Does not split a surrogate pair at the limit. */
function firstMebibyte(text: string): string {
  return text.slice(0, TEXT_MAX).replace(/[\ud800-\udbff]$/, '')
}

export function tooManyValues(): AppError {
  return new AppError(413, 'The request has too many attributes, events and values; send it in several requests')
}

const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)

function rejectionReason({ traceId, spanId, parentSpanId }: SpanDraft, hasParent: boolean): string | undefined {
  if (!isTraceId(traceId)) return 'The trace id must be 16 bytes (32 hex digits) that are not all zero'
  if (!isSpanId(spanId)) return 'The span id must be 8 bytes (16 hex digits) that are not all zero'
  if (!hasParent) return undefined
  if (!isSpanId(parentSpanId)) return 'The parent span id must be 8 bytes (16 hex digits), or absent'
  return parentSpanId === spanId ? 'A span must not be its own parent' : undefined
}

export function isTraceId(text: string): boolean {
  return text.length === 32 && text !== NO_TRACE && HEX.test(text)
}

export function isSpanId(text: string): boolean {
  return text.length === 16 && text !== NO_SPAN && HEX.test(text)
}

const HEX = /^[0-9a-f]+$/
