/**
 * Reads a trace request of OTLP from protobuf, in one pass and without a generic message in between: what is read is
 * already what we keep. The field numbers are those of opentelemetry-proto v1.
 */
import type { AttributeValue, Origin, ReceivedBatch } from '../traces/received-span.ts'
import { BatchDraft, OBJECT_COST } from './batch-draft.ts'
import { BYTES, ProtobufReader } from './protobuf-reader.ts'
import { ProtobufSpans } from './protobuf-spans.ts'
import { ProtobufValues } from './protobuf-values.ts'
import { unhurried } from './unhurried.ts'

/** About 250 spans: a few milliseconds of work. */
const BYTES_BETWEEN_PAUSES = 256 * 1024

export async function decodeProtobuf(bytes: Buffer): Promise<ReceivedBatch> {
  return unhurried(new RequestReader(bytes).read())
}

const FIELD_1 = (1 << 3) | BYTES
const FIELD_2 = (2 << 3) | BYTES
const FIELD_3 = (3 << 3) | BYTES

type OriginDraft = Origin & { scopeAttributes: Map<string, AttributeValue> }

class RequestReader {
  readonly #batch = new BatchDraft()
  readonly #reader: ProtobufReader
  readonly #values: ProtobufValues
  readonly #spans: ProtobufSpans
  #pauseAt = BYTES_BETWEEN_PAUSES

  constructor(bytes: Buffer) {
    this.#reader = new ProtobufReader(bytes)
    this.#values = new ProtobufValues(this.#reader, this.#batch)
    this.#spans = new ProtobufSpans(this.#reader, this.#batch, this.#values)
  }

  /** ExportTraceServiceRequest: 1 resource spans. */
  *read(): Generator<void, ReceivedBatch> {
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
    // The resource may come behind its spans: they share this map, which is filled whenever it comes.
    const resource = new Map<string, AttributeValue>()
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_1) this.#resource(resource)
      else if (tag === FIELD_2) yield* this.#scopeSpans(resource)
      else reader.skip(tag, 0b110, 'ResourceSpans')
      if (this.#isPauseDue()) yield
    }
    reader.leave(end)
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
    this.#batch.warnInsteadOfRefusing()
  }

  /** 1 scope, 2 spans. */
  *#scopeSpans(resource: Origin['resource']): Generator<void, void> {
    this.#batch.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    const origin: OriginDraft = { resource, scopeName: '', scopeVersion: '', scopeAttributes: new Map() }
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_2) this.#spans.read(origin)
      else if (tag === FIELD_1) this.#scope(origin)
      else reader.skip(tag, 0b110, 'ScopeSpans')
      if (this.#isPauseDue()) yield
    }
    reader.leave(end)
  }

  /** 1 name, 2 version, 3 attributes. */
  #scope(origin: OriginDraft): void {
    const reader = this.#reader
    const end = reader.enter()
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === FIELD_1) origin.scopeName = this.#batch.cutName(reader.key(), 'name of a scope')
      else if (tag === FIELD_2) origin.scopeVersion = this.#batch.cutName(reader.key(), 'version of a scope')
      else if (tag === FIELD_3) this.#values.attribute(origin.scopeAttributes)
      else reader.skip(tag, 0b1110, 'InstrumentationScope')
    }
    reader.leave(end)
    this.#batch.warnInsteadOfRefusing()
  }

  #isPauseDue(): boolean {
    if (this.#reader.pos < this.#pauseAt) return false
    this.#pauseAt = this.#reader.pos + BYTES_BETWEEN_PAUSES
    return true
  }
}
