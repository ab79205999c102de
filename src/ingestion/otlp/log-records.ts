/**
 * Selects which log records are stored: GenAI events that name their span. Each becomes a span event, so that the mapping does not depend
 * on how an event arrived. All other records are accepted and ignored.
 */

import { AppError } from '../../base/errors.ts'
import type { AttributeValue, ReceivedEvents, ReceivedSpanEvent } from '../../traces/storing/received-span.ts'
import { BatchDraft, isSpanId, isTraceId } from './batch-draft.ts'

const EVENTS_MAX = 10_000
const EVENT_PREFIX = 'gen_ai.'

/** A log record as it was on the wire. Absent fields have the default values of protobuf. */
export type LogRecord = {
  traceId: string
  spanId: string
  eventName: string
  timeNs: bigint
  observedNs: bigint
  attributes: Map<string, AttributeValue>
  body: AttributeValue
}

export function emptyRecord(): LogRecord {
  return { traceId: '', spanId: '', eventName: '', timeNs: 0n, observedNs: 0n, attributes: new Map(), body: null }
}

/** Stores only the result of `keep` for each event. */
export class LogBatch<Kept> {
  /** Limits what is read and cleans texts. No span is ever added to it. */
  readonly limits = new BatchDraft<never>(() => {
    throw new Error('log records have no spans')
  })
  readonly #keep: (event: ReceivedSpanEvent) => Kept
  readonly #events: Kept[] = []
  readonly #rejections = new Map<string, number>()
  #ignoredCount = 0
  #withoutSpanCount = 0

  constructor(keep: (event: ReceivedSpanEvent) => Kept) {
    this.#keep = keep
  }

  add(record: LogRecord): void {
    const { traceId, spanId, attributes } = record
    const name = record.eventName || attributes.get('event.name')
    if (typeof name !== 'string' || !name.startsWith(EVENT_PREFIX)) {
      this.#ignoredCount += 1
      return
    }
    if (!isTraceId(traceId) || !isSpanId(spanId)) {
      this.#withoutSpanCount += 1
      return
    }
    // The event has a separate field for the name.
    if (attributes.get('event.name') === name) attributes.delete('event.name')
    this.#addBody(attributes, record.body)
    const { rejectionReason } = this.limits
    if (rejectionReason !== undefined) {
      this.#rejections.set(rejectionReason, (this.#rejections.get(rejectionReason) ?? 0) + 1)
      return
    }
    if (this.#events.length === EVENTS_MAX) {
      throw new AppError(413, `The request has more than ${EVENTS_MAX} GenAI events; send them in several requests`)
    }
    const timeNs = this.limits.time(record.timeNs === 0n ? record.observedNs : record.timeNs, 'time of an event')
    this.#events.push(this.#keep({ traceId, spanId, event: { timeNs, name, attributes } }))
  }

  /** The entries of a structured body become attributes; an attribute with the same name wins. Any other body becomes `body`. */
  #addBody(attributes: Map<string, AttributeValue>, body: AttributeValue): void {
    if (body === null || body === '') return
    const isMap = typeof body === 'object' && !Array.isArray(body)
    for (const [key, value] of isMap ? Object.entries(body) : [['body', body] as const]) {
      if (attributes.has(key)) continue
      if (!this.limits.hasRoom(attributes)) return
      attributes.set(key, value)
    }
  }

  finish(): ReceivedEvents<Kept> {
    const rejections = [...this.#rejections]
    const problems = rejections.map(([reason, count]) => `${reason} (${counted(count, 'log record')})`)
    if (this.#withoutSpanCount > 0) {
      problems.push(`${counted(this.#withoutSpanCount, 'GenAI event')} without a trace id and a span id: ignored`)
    }
    return {
      events: this.#events,
      rejectedCount: rejections.reduce((sum, [, count]) => sum + count, 0),
      ignoredCount: this.#ignoredCount + this.#withoutSpanCount,
      problems,
    }
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
