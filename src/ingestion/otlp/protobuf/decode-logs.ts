/** Reads an OTLP logs request from protobuf. The field numbers are those of opentelemetry-proto v1. */

import { runInSlices } from '../../../base/event-loop.ts'
import type { ReceivedEvents, ReceivedSpanEvent } from '../../../traces/storing/received-span.ts'
import { OBJECT_COST } from '../batch-draft.ts'
import { emptyRecord, LogBatch, type LogRecord } from '../log-records.ts'
import { BYTES, FIXED64, ProtobufReader } from './reader.ts'
import { ProtobufValues } from './values.ts'

const BYTES_BETWEEN_PAUSES = 128 * 1024

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
