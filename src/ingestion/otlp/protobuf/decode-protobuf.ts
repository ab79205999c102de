/**
 * Reads OTLP requests of traces and of logs from protobuf directly into the stored form, without a generic message in between. The field
 * numbers are those of opentelemetry-proto v1.
 */

import { runInSlices } from '../../../base/event-loop.ts'
import type {
  AttributeValue,
  ReceivedBatch,
  ReceivedEvents,
  ReceivedSpan,
  ReceivedSpanEvent,
  ResourceScope,
} from '../../../traces/storing/received-span.ts'
import { BatchDraft, OBJECT_COST } from '../batch-draft.ts'
import { emptyRecord, LogBatch, type LogRecord } from '../log-records.ts'
import { BYTES, FIXED64, ProtobufReader } from './reader.ts'
import { ProtobufSpans } from './spans.ts'
import { ProtobufValues } from './values.ts'

/** About 100 spans: a few milliseconds of work, including the conversion to rows. */
const BYTES_BETWEEN_PAUSES = 128 * 1024

export async function decodeProtobuf<Kept>(
  bytes: Buffer,
  keep: (span: ReceivedSpan) => Kept,
): Promise<ReceivedBatch<Kept>> {
  return runInSlices(new RequestReader(bytes, keep).read())
}

const FIELD_1 = (1 << 3) | BYTES
const FIELD_2 = (2 << 3) | BYTES
const FIELD_3 = (3 << 3) | BYTES

type ResourceScopeDraft = ResourceScope & { scopeAttributes: Map<string, AttributeValue> }

class RequestReader<Kept> {
  readonly #batch: BatchDraft<Kept>
  readonly #reader: ProtobufReader
  readonly #values: ProtobufValues
  readonly #spans: ProtobufSpans
  #pauseAt = BYTES_BETWEEN_PAUSES

  constructor(bytes: Buffer, keep: (span: ReceivedSpan) => Kept) {
    this.#batch = new BatchDraft(keep)
    this.#reader = new ProtobufReader(bytes)
    this.#values = new ProtobufValues(this.#reader, this.#batch)
    this.#spans = new ProtobufSpans(this.#reader, this.#batch, this.#values)
  }

  /** ExportTraceServiceRequest: 1 resource spans. */
  *read(): Generator<void, ReceivedBatch<Kept>> {
    const reader = this.#reader
    const end = reader.bytes.length
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_1) yield* this.#resourceSpans()
      else reader.skip(tag, 0b10, 'ExportTraceServiceRequest')
      if (this.#isPauseDue()) yield
    }
    reader.leave(end)
    this.#batch.countReplaced(reader.replacedCount)
    return this.#batch.finish()
  }

  /** 1 resource, 2 scope spans. */
  *#resourceSpans(): Generator<void, void> {
    this.#batch.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    const resource = new Map<string, AttributeValue>()
    this.#readFirst(end, 'ResourceSpans', () => this.#resource(resource))
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_2) yield* this.#scopeSpans(resource)
      else if (tag === FIELD_1) reader.pos = reader.enter()
      else reader.skip(tag, 0b110, 'ResourceSpans')
      if (this.#isPauseDue()) yield
    }
    reader.leave(end)
  }

  /** A resource or a scope may follow its spans on the wire, so field 1 is read before the others. */
  #readFirst(end: number, message: string, read: () => void): void {
    const reader = this.#reader
    const start = reader.pos
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_1) read()
      else reader.skip(tag, 0b10, message)
    }
    reader.leave(end)
    reader.pos = start
  }

  /** 1 attributes. */
  #resource(attributes: Map<string, AttributeValue>): void {
    const reader = this.#reader
    const end = reader.enter()
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_1) this.#values.attribute(attributes)
      else reader.skip(tag, 0b10, 'Resource')
    }
    reader.leave(end)
    this.#batch.warnInsteadOfRejecting()
  }

  /** 1 scope, 2 spans. */
  *#scopeSpans(resource: ResourceScope['resource']): Generator<void, void> {
    this.#batch.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    const resourceScope: ResourceScopeDraft = { resource, scopeName: '', scopeVersion: '', scopeAttributes: new Map() }
    this.#readFirst(end, 'ScopeSpans', () => this.#scope(resourceScope))
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_2) this.#spans.read(resourceScope)
      else if (tag === FIELD_1) reader.pos = reader.enter()
      else reader.skip(tag, 0b110, 'ScopeSpans')
      if (this.#isPauseDue()) yield
    }
    reader.leave(end)
  }

  /** 1 name, 2 version, 3 attributes. */
  #scope(resourceScope: ResourceScopeDraft): void {
    const reader = this.#reader
    const end = reader.enter()
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_1) resourceScope.scopeName = this.#batch.cutName(reader.key(), 'name of a scope')
      else if (tag === FIELD_2) resourceScope.scopeVersion = this.#batch.cutName(reader.key(), 'version of a scope')
      else if (tag === FIELD_3) this.#values.attribute(resourceScope.scopeAttributes)
      else reader.skip(tag, 0b1110, 'InstrumentationScope')
    }
    reader.leave(end)
    this.#batch.warnInsteadOfRejecting()
  }

  #isPauseDue(): boolean {
    if (this.#reader.pos < this.#pauseAt) return false
    this.#pauseAt = this.#reader.pos + BYTES_BETWEEN_PAUSES
    return true
  }
}

export async function decodeLogsProtobuf<Kept>(
  bytes: Buffer,
  keep: (event: ReceivedSpanEvent) => Kept,
): Promise<ReceivedEvents<Kept>> {
  return runInSlices(new LogsReader(bytes, keep).read())
}

const RESOURCE_LOGS = (1 << 3) | BYTES
const SCOPE_LOGS = (2 << 3) | BYTES
const LOG_RECORDS = (2 << 3) | BYTES

const TIME = (1 << 3) | FIXED64
const BODY = (5 << 3) | BYTES
const ATTRIBUTES = (6 << 3) | BYTES
const TRACE_ID = (9 << 3) | BYTES
const SPAN_ID = (10 << 3) | BYTES
const OBSERVED_TIME = (11 << 3) | FIXED64
const EVENT_NAME = (12 << 3) | BYTES
/** A bit for each of the fields above. */
const RECORD_FIELDS = 0b1_1110_0110_0010

class LogsReader<Kept> {
  readonly #batch: LogBatch<Kept>
  readonly #reader: ProtobufReader
  readonly #values: ProtobufValues
  #pauseAt = BYTES_BETWEEN_PAUSES

  constructor(bytes: Buffer, keep: (event: ReceivedSpanEvent) => Kept) {
    this.#batch = new LogBatch(keep)
    this.#reader = new ProtobufReader(bytes)
    this.#values = new ProtobufValues(this.#reader, this.#batch.limits)
  }

  /** ExportLogsServiceRequest: 1 resource logs. */
  *read(): Generator<void, ReceivedEvents<Kept>> {
    const reader = this.#reader
    const end = reader.bytes.length
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === RESOURCE_LOGS) yield* this.#resourceLogs()
      else reader.skip(tag, 0b10, 'ExportLogsServiceRequest')
    }
    reader.leave(end)
    return this.#batch.finish()
  }

  /** 2 scope logs. Resource and scope are not read: an event has those of its span. */
  *#resourceLogs(): Generator<void, void> {
    this.#batch.limits.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === SCOPE_LOGS) yield* this.#scopeLogs()
      else reader.skip(tag, 0b100, 'ResourceLogs')
    }
    reader.leave(end)
  }

  /** 2 log records. */
  *#scopeLogs(): Generator<void, void> {
    this.#batch.limits.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === LOG_RECORDS) this.#record()
      else reader.skip(tag, 0b100, 'ScopeLogs')
      if (this.#isPauseDue()) yield
    }
    reader.leave(end)
  }

  #record(): void {
    this.#batch.limits.beginRecord()
    this.#batch.limits.spend(OBJECT_COST)
    const reader = this.#reader
    const record = emptyRecord()
    const end = reader.enter()
    while (reader.pos < end) this.#field(reader.tag(), record)
    reader.leave(end)
    this.#batch.add(record)
  }

  #field(tag: number, record: LogRecord): void {
    const reader = this.#reader
    if (tag === TIME) record.timeNs = reader.fixed64()
    else if (tag === BODY) record.body = this.#values.value()
    else if (tag === ATTRIBUTES) this.#values.attribute(record.attributes)
    else if (tag === TRACE_ID) record.traceId = reader.hex()
    else if (tag === SPAN_ID) record.spanId = reader.hex()
    else if (tag === OBSERVED_TIME) record.observedNs = reader.fixed64()
    else if (tag === EVENT_NAME) record.eventName = this.#batch.limits.cutName(reader.key(), 'name of an event')
    else reader.skip(tag, RECORD_FIELDS, 'LogRecord')
  }

  #isPauseDue(): boolean {
    if (this.#reader.pos < this.#pauseAt) return false
    this.#pauseAt = this.#reader.pos + BYTES_BETWEEN_PAUSES
    return true
  }
}
