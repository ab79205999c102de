/**
 * Reads the fields of OTLP/JSON from parsed JSON, by the rules of protobuf's JSON mapping: null is absent, 64-bit numbers may be strings,
 * enumerations may be names. A field of the wrong type makes the request malformed.
 */
import { type AppError, badRequest } from '../../../base/errors.ts'

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

/** Hex in either case. An invalid id stays recognizably invalid, so that only its span is rejected and not the request. */
export function idOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value.toLowerCase() : 'not a text'
}

/** A number that JSON.parse has read may have lost digits; a string has all of them. */
export function bigintOf(value: unknown, name: string): bigint {
  if (value === undefined || value === null) return 0n
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value)
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  throw wrongType(name, 'a whole number')
}

/** A decimal string if a JavaScript number would lose digits. */
export function integerOf(value: unknown, name: string): number | string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  const exact = bigintOf(value, name)
  const number = Number(exact)
  return Number.isSafeInteger(number) ? number : exact.toString()
}

export function doubleOf(value: unknown, name: string): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && DOUBLE.test(value)) return Number(value)
  throw wrongType(name, 'a number')
}

const DOUBLE = /^(-?\d+(\.\d+)?([eE][+-]?\d+)?|NaN|-?Infinity)$/

export function booleanOf(value: unknown, name: string): boolean {
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
