/** Reads Span and its nested messages from protobuf. */
import type {
  AttributeValue,
  ReceivedEvent,
  ReceivedLink,
  ResourceScope,
} from '../../../traces/storing/received-span.ts'
import { type BatchDraft, EVENT_COST, emptySpan, NO_ATTRIBUTES, OBJECT_COST, type SpanDraft } from '../batch-draft.ts'
import { BYTES, FIXED64, type ProtobufReader, VARINT } from './reader.ts'
import type { ProtobufValues } from './values.ts'

const TRACE_ID = (1 << 3) | BYTES
const SPAN_ID = (2 << 3) | BYTES
const PARENT_SPAN_ID = (4 << 3) | BYTES
const NAME = (5 << 3) | BYTES
const KIND = (6 << 3) | VARINT
const START_TIME = (7 << 3) | FIXED64
const END_TIME = (8 << 3) | FIXED64
const ATTRIBUTES = (9 << 3) | BYTES
const EVENTS = (11 << 3) | BYTES
const LINKS = (13 << 3) | BYTES
const STATUS = (15 << 3) | BYTES
/** A bit for each of the fields above. */
const SPAN_FIELDS = 0b1010_1011_1111_0110

const EVENT_TIME = (1 << 3) | FIXED64
const EVENT_NAME = (2 << 3) | BYTES
const EVENT_ATTRIBUTES = (3 << 3) | BYTES

const LINK_ATTRIBUTES = (4 << 3) | BYTES

const STATUS_MESSAGE = (2 << 3) | BYTES
const STATUS_CODE = (3 << 3) | VARINT

export class ProtobufSpans {
  readonly #reader: ProtobufReader
  readonly #batch: BatchDraft
  readonly #values: ProtobufValues

  constructor(reader: ProtobufReader, batch: BatchDraft, values: ProtobufValues) {
    this.#reader = reader
    this.#batch = batch
    this.#values = values
  }

  /** Reads the next span and adds it to the batch. */
  read(resourceScope: ResourceScope): void {
    const reader = this.#reader
    const batch = this.#batch
    batch.beginSpan()
    const replacedBefore = reader.replacedCount
    const attributes = new Map<string, AttributeValue>()
    const span = emptySpan(resourceScope, attributes)
    const end = reader.enter()
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === ATTRIBUTES) this.#values.attribute(attributes)
      else this.#field(tag, span)
    }
    reader.leave(end)
    if (reader.replacedCount > replacedBefore) batch.noteReplaced()
    batch.addSpan(span)
  }

  #field(tag: number, span: SpanDraft): void {
    const reader = this.#reader
    if (tag === TRACE_ID) span.traceId = reader.hex()
    else if (tag === SPAN_ID) span.spanId = reader.hex()
    else if (tag === PARENT_SPAN_ID) span.parentSpanId = reader.hex()
    else if (tag === NAME) span.name = this.#batch.cutName(reader.key(), 'name')
    else if (tag === KIND) span.kind = reader.int32()
    else if (tag === START_TIME) span.startNs = reader.fixed64()
    else if (tag === END_TIME) span.endNs = reader.fixed64()
    else if (tag === EVENTS) span.events.push(this.#event())
    else if (tag === LINKS) this.#link(span.links)
    else if (tag === STATUS) this.#status(span)
    else reader.skip(tag, SPAN_FIELDS, 'Span')
  }

  #event(): ReceivedEvent {
    this.#batch.spendOfSpan(EVENT_COST)
    this.#batch.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    let timeNs = 0n
    let name = ''
    let attributes: Map<string, AttributeValue> | undefined
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === EVENT_TIME) timeNs = this.#batch.time(reader.fixed64(), 'time of an event')
      else if (tag === EVENT_NAME) name = this.#batch.cutName(reader.key(), 'name of an event')
      else if (tag === EVENT_ATTRIBUTES) {
        attributes ??= new Map()
        this.#values.attribute(attributes)
      } else reader.skip(tag, 0b1110, 'Event')
    }
    reader.leave(end)
    return { timeNs, name, attributes: attributes ?? NO_ATTRIBUTES }
  }

  #link(links: ReceivedLink[]): void {
    this.#batch.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    const attributes = new Map<string, AttributeValue>()
    const link = { traceId: '', spanId: '', attributes }
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === TRACE_ID) link.traceId = reader.hex()
      else if (tag === SPAN_ID) link.spanId = reader.hex()
      else if (tag === LINK_ATTRIBUTES) this.#values.attribute(attributes)
      else reader.skip(tag, 0b1_0110, 'Link')
    }
    reader.leave(end)
    if (this.#batch.isLink(link)) links.push(link)
  }

  #status(span: SpanDraft): void {
    const reader = this.#reader
    const end = reader.enter()
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === STATUS_MESSAGE) span.statusMessage = this.#batch.cutName(reader.text(), 'status message')
      else if (tag === STATUS_CODE) span.statusCode = reader.int32()
      else reader.skip(tag, 0b1100, 'Status')
    }
    reader.leave(end)
  }
}
