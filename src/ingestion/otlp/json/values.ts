/** Reads attributes and their values (KeyValue and AnyValue) from OTLP/JSON. */
import { badRequest } from '../../../base/errors.ts'
import { storableNumber } from '../../../base/storable.ts'
import type { Attributes, AttributeValue } from '../../../traces/storing/received-span.ts'
import { type BatchDraft, NO_ATTRIBUTES, OBJECT_COST, VALUE_DEPTH_MAX } from '../batch-draft.ts'
import { booleanOf, doubleOf, integerOf, listOf, objectOf, textOf } from './fields.ts'

export class JsonValues {
  readonly #batch: BatchDraft

  constructor(batch: BatchDraft) {
    this.#batch = batch
  }

  attributes(given: unknown): Attributes {
    const pairs = listOf(given, 'attributes')
    if (pairs.length === 0) return NO_ATTRIBUTES
    const attributes = new Map<string, AttributeValue>()
    for (const pair of pairs) {
      if (!this.#batch.hasRoom(attributes)) return attributes
      const fields = objectOf(pair, 'an attribute')
      const key = this.#batch.clean(textOf(fields.key, 'key'))
      const value = this.#value(fields.value, 1)
      if (this.#batch.isKey(key)) attributes.set(key, value)
      this.#batch.noteCut(key)
    }
    return attributes
  }

  /** A value that is not an attribute, such as the body of a log record. */
  value(given: unknown): AttributeValue {
    return given === undefined || given === null ? null : this.#value(given, 1)
  }

  /** At most one of the fields is set. */
  #value(given: unknown, depth: number): AttributeValue {
    if (depth > VALUE_DEPTH_MAX) {
      throw badRequest(`The request body has a value that is nested more than ${VALUE_DEPTH_MAX} levels deep`)
    }
    const fields = objectOf(given, 'value')
    const { stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue, bytesValue } = fields
    if (isThere(doubleValue)) return storableNumber(doubleOf(doubleValue, 'doubleValue'))
    // After the doubles, because vectors cost nothing.
    this.#batch.spend(1)
    if (isThere(stringValue)) return this.#batch.cutText(this.#batch.clean(textOf(stringValue, 'stringValue')))
    if (isThere(intValue)) return integerOf(intValue, 'intValue')
    if (isThere(boolValue)) return booleanOf(boolValue, 'boolValue')
    if (isThere(arrayValue)) return this.#list(arrayValue, depth)
    if (isThere(kvlistValue)) return this.#map(kvlistValue, depth)
    if (isThere(bytesValue)) return this.#batch.cutText(base64Of(textOf(bytesValue, 'bytesValue')))
    return null
  }

  #list(given: unknown, depth: number): AttributeValue[] {
    this.#batch.spend(OBJECT_COST)
    return listOf(objectOf(given, 'arrayValue').values, 'values').map((value) => this.#value(value, depth + 1))
  }

  #map(given: unknown, depth: number): { [key: string]: AttributeValue } {
    this.#batch.spend(OBJECT_COST)
    const values: { [key: string]: AttributeValue } = Object.create(null)
    for (const pair of listOf(objectOf(given, 'kvlistValue').values, 'values')) {
      this.#batch.spend(1)
      const fields = objectOf(pair, 'a pair of kvlistValue')
      const key = this.#batch.clean(textOf(fields.key, 'key'))
      const value = this.#value(fields.value, depth + 1)
      if (this.#batch.isKey(key)) values[key] = value
    }
    return values
  }
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Normalizes the alphabet and the padding. */
function base64Of(text: string): string {
  return Buffer.from(text, 'base64').toString('base64')
}
