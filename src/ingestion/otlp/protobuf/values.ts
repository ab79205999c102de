/** Reads attributes and their values (KeyValue and AnyValue) from protobuf. */

import { storableNumber } from '../../../base/text.ts'
import type { AttributeValue } from '../../../traces/storing/received-span.ts'
import { type BatchDraft, NAME_COST, OBJECT_COST, VALUE_DEPTH_MAX } from '../batch-draft.ts'
import { malformed, type ProtobufReader } from './reader.ts'

const KEY = (1 << 3) | 2
const VALUE = (2 << 3) | 2

const STRING_VALUE = (1 << 3) | 2
const BOOL_VALUE = 2 << 3
const INT_VALUE = 3 << 3
const DOUBLE_VALUE = (4 << 3) | 1
const ARRAY_VALUE = (5 << 3) | 2
const KVLIST_VALUE = (6 << 3) | 2
const BYTES_VALUE = (7 << 3) | 2

/** The only field of a list and of a map. */
const VALUES = (1 << 3) | 2

export class ProtobufValues {
  readonly #reader: ProtobufReader
  readonly #batch: BatchDraft
  /** The key of the last pair that was read. */
  #key = ''

  constructor(reader: ProtobufReader, batch: BatchDraft) {
    this.#reader = reader
    this.#batch = batch
  }

  /** Reads the next attribute into the map, unless the map is full. */
  attribute(into: Map<string, AttributeValue>): void {
    const end = this.#reader.enter()
    if (!this.#batch.hasRoom(into)) {
      this.#reader.pos = end
      return
    }
    const value = this.#pair(end, 1)
    if (this.#batch.isKey(this.#key)) into.set(this.#key, value)
    this.#batch.noteCut(this.#key)
  }

  /** Reads a value that is not an attribute, such as the body of a log record. */
  value(): AttributeValue {
    return this.#value(1)
  }

  /** Key and value may come in either order, and the value may contain pairs. */
  #pair(end: number, depth: number): AttributeValue {
    const reader = this.#reader
    let key = ''
    let value: AttributeValue = null
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === KEY) key = reader.key()
      else if (tag === VALUE) value = this.#value(depth)
      else reader.skip(tag, 0b110, 'KeyValue')
    }
    reader.leave(end)
    this.#key = key
    return value
  }

  #value(depth: number): AttributeValue {
    if (depth > VALUE_DEPTH_MAX) throw malformed(`a value is nested more than ${VALUE_DEPTH_MAX} levels deep`)
    this.#batch.spend(1)
    const reader = this.#reader
    const end = reader.enter()
    let value: AttributeValue = null
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === STRING_VALUE) value = this.#batch.cutText(reader.text())
      else if (tag === INT_VALUE) value = reader.int64()
      else if (tag === DOUBLE_VALUE) value = storableNumber(reader.double())
      else if (tag === BOOL_VALUE) value = reader.isTrue()
      else if (tag === ARRAY_VALUE) value = this.#list(depth)
      else if (tag === KVLIST_VALUE) value = this.#map(depth)
      else if (tag === BYTES_VALUE) value = this.#batch.cutText(reader.base64())
      else reader.skip(tag, 0b1111_1110, 'AnyValue')
    }
    reader.leave(end)
    return value
  }

  #list(depth: number): AttributeValue[] {
    this.#batch.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    const vector = reader.vector(end)
    if (vector) return vector
    const values: AttributeValue[] = []
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === VALUES) values.push(this.#value(depth + 1))
      else reader.skip(tag, 0b10, 'ArrayValue')
    }
    reader.leave(end)
    return values
  }

  #map(depth: number): { [key: string]: AttributeValue } {
    this.#batch.spend(OBJECT_COST)
    const reader = this.#reader
    const end = reader.enter()
    const values: { [key: string]: AttributeValue } = Object.create(null)
    while (reader.pos < end) {
      const tag = reader.tag()
      if (tag === VALUES) {
        this.#batch.spendOfSpan(NAME_COST)
        this.#batch.spend(1)
        const value = this.#pair(reader.enter(), depth + 1)
        if (this.#batch.isKey(this.#key)) values[this.#key] = value
      } else reader.skip(tag, 0b10, 'KeyValueList')
    }
    reader.leave(end)
    return values
  }
}
