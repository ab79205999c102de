/**
 * Reads an OTLP trace request from protobuf directly into the stored form, without a generic message in between. The field numbers are
 * those of opentelemetry-proto v1.
 */

import { runInSlices } from '../../../base/event-loop.ts'
import type {
  AttributeValue,
  ReceivedBatch,
  ReceivedSpan,
  ResourceScope,
} from '../../../traces/storing/received-span.ts'
import { BatchDraft, OBJECT_COST } from '../batch-draft.ts'
import { BYTES, ProtobufReader } from './reader.ts'
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
