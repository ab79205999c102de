/** Reads values of exports whose shape is not known for certain. */
import { createHash } from 'node:crypto'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object, or an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A number of tokens or milliseconds: an integer that is not negative. */
export function countOf(value: unknown): number | undefined {
  const number = numberOf(value)
  return number !== undefined && number >= 0 ? Math.round(number) : undefined
}

/** A time as the API accepts it, from ISO 8601 (without a zone: UTC) or milliseconds since 1970. */
export function timeOf(value: unknown): string | undefined {
  const milliseconds = typeof value === 'number' ? value : Date.parse(withZone(textOf(value) ?? ''))
  const isValid = Number.isFinite(milliseconds) && Math.abs(milliseconds) < 8.64e15
  return isValid ? new Date(milliseconds).toISOString() : undefined
}

function withZone(text: string): string {
  const [, day, clock] = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/.exec(text) ?? []
  return day && clock ? `${day}T${clock}Z` : text
}

/** The fields without those that are undefined, for objects whose optional fields must be absent. */
export function present<Value extends object>(fields: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  // Only properties without a value are removed, which every optional one may be.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

/** 32 hexadecimal digits that depend on the values alone. The order of keys does not matter. */
export function stableId(...values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values, sortKeys)).digest('hex').slice(0, 32)
}

function sortKeys(_: string, value: unknown): unknown {
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The first characters, for names of at most 500. */
export function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** The objects of a file: one, an array, or one per line. Throws with the line of what is no JSON. */
export function parseJsonRecords(text: string, file: string): unknown[] {
  const content = text.replace(/^\ufeff/, '')
  const whole = tryParse(content)
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole]
  return content.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const value = tryParse(line)
    if (value === undefined) throw new CliError(`${file}:${index + 1}: this line is not JSON.`, EXIT.usage)
    return [value]
  })
}

/** Undefined for what is no JSON. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
