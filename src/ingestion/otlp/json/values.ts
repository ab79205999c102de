/**
 * Reads attributes, their values (KeyValue and AnyValue) and other fields of OTLP/JSON from parsed JSON, by the rules of protobuf's JSON
 * mapping: null is absent, 64-bit numbers may be strings, enumerations may be names. A field of the wrong type makes the request malformed.
 */
import { type AppError, badRequest } from '../../../base/errors.ts'
import { storableNumber } from '../../../base/text.ts'
import type { Attributes, AttributeValue } from '../../../traces/storing/received-span.ts'
import { type BatchDraft, NAME_COST, NO_ATTRIBUTES, OBJECT_COST, VALUE_DEPTH_MAX } from '../batch-draft.ts'

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
      const key = this.#key(fields.key)
      const value = this.#value(fields.value, 1)
      if (key !== undefined) attributes.set(key, value)
      this.#batch.noteCut(key ?? '')
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
    if (isThere(stringValue)) return this.#batch.clean(this.#batch.cutText(textOf(stringValue, 'stringValue')))
    if (isThere(intValue)) return integerOf(intValue, 'intValue')
    if (isThere(boolValue)) return booleanOf(boolValue, 'boolValue')
    if (isThere(arrayValue)) return this.#list(arrayValue, depth)
    if (isThere(kvlistValue)) return this.#map(kvlistValue, depth)
    if (isThere(bytesValue)) return base64Of(this.#batch.cutText(textOf(bytesValue, 'bytesValue')))
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
      this.#batch.spendOfSpan(NAME_COST)
      this.#batch.spend(1)
      const fields = objectOf(pair, 'a pair of kvlistValue')
      const key = this.#key(fields.key)
      const value = this.#value(fields.value, depth + 1)
      if (key !== undefined) values[key] = value
    }
    return values
  }

  /** Undefined if it is too long, which rejects the span. */
  #key(given: unknown): string | undefined {
    const key = textOf(given, 'key')
    return this.#batch.isKey(key) ? this.#batch.clean(key) : undefined
  }
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Normalizes the alphabet and the padding. */
function base64Of(text: string): string {
  return Buffer.from(text, 'base64').toString('base64')
}

export type Fields = { readonly [name: string]: unknown }

const NONE: Fields = {}

export function objectOf(value: unknown, name: string): Fields {
  if (value === undefined || value === null) return NONE
  if (isObject(value)) return value
  throw wrongType(name, 'an object')
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw wrongType(name, 'a list')
}

export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  throw wrongType(name, 'a text')
}

/** Longer than any id. */
const ID_LENGTH_CUT = 64

/** Hex in either case. An invalid id stays recognizably invalid, so that only its span is rejected and not the request. */
export function idOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value.slice(0, ID_LENGTH_CUT).toLowerCase() : 'not a text'
}

/** A number that JSON.parse has read may have lost digits; a string has all of them. */
export function bigintOf(value: unknown, name: string): bigint {
  if (value === undefined || value === null) return 0n
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value)
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  throw wrongType(name, 'a whole number')
}

/** A decimal string if a JavaScript number would lose digits. */
function integerOf(value: unknown, name: string): number | string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  const exact = bigintOf(value, name)
  const number = Number(exact)
  return Number.isSafeInteger(number) ? number : exact.toString()
}

function doubleOf(value: unknown, name: string): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && value.length <= NUMBER_LENGTH_MAX && DOUBLE.test(value)) return Number(value)
  throw wrongType(name, 'a number')
}

/** The shortest text of a double has 24 characters; some writers send all of its digits, which are 767. */
const NUMBER_LENGTH_MAX = 1_000
const DOUBLE = /^(-?\d+(\.\d+)?([eE][+-]?\d+)?|NaN|-?Infinity)$/

function booleanOf(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  throw wrongType(name, 'true or false')
}

/** The number of an enumeration value. An unknown name is 0, like an unknown number. */
export function enumOf(value: unknown, names: readonly string[]): number {
  if (typeof value === 'string') return Math.max(0, names.indexOf(value))
  return typeof value === 'number' && Number.isInteger(value) ? value : 0
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrongType(name: string, type: string): AppError {
  return badRequest(`The request body is not a valid OTLP request in JSON: ${name} must be ${type}`)
}
