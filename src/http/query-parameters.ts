/** What routes read from query parameters: lists of names, booleans, limits, times, ids, and the cursors of lists. */
import { type AppError, badRequest } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import type { Page } from '../base/page.ts'
import { parseTime, parseTimestamp } from '../base/parse-time.ts'
import { queryText } from './schemas.ts'

/** A query parameter that is a list of known names, separated by commas. */
export function nameListQuery(names: readonly string[], { isEmptyAllowed, description }: NameListOptions) {
  const name = `(${names.join('|')})`
  const list = `${name}(,${name})*`
  return queryText({ type: 'string', pattern: isEmptyAllowed ? `^(${list})?$` : `^${list}$`, description })
}

type NameListOptions = { isEmptyAllowed: boolean; description: string }

/** The names of such a list, in their own order. */
export function readNames<Name extends string>(parameter: string, text: string, known: readonly Name[]): Name[] {
  const given = text.split(',')
  const names = known.filter((name) => given.includes(name))
  if (names.length < new Set(given).size)
    throw badRequest(`The query parameter ${parameter} must be a list of ${known.join(', ')}, separated by commas`)
  return names
}

export function readBoolean(parameter: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw badRequest(`The query parameter ${parameter} must be true or false`)
  return text === 'true'
}

/** How many rows a page has. */
export function readLimit(text: string | undefined, limits: { default: number; max: number }): number {
  if (text === undefined) return limits.default
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= limits.max))
    throw badRequest(`The query parameter limit must be a whole number from 1 to ${limits.max}`)
  return limit
}

const OFFSET_MAX = 9_999_999_999

/** `limit` and `offset` of lists that are longer than those of paged routes. */
export function readWindow(
  { limit, offset = '0' }: { limit?: string | undefined; offset?: string | undefined },
  limits: { default: number; max: number },
): Page {
  return {
    limit: limit === undefined ? limits.default : readWhole('limit', limit, { min: 1, max: limits.max }),
    offset: readWhole('offset', offset, { min: 0, max: OFFSET_MAX }),
  }
}

function readWhole(parameter: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw badRequest(`The query parameter ${parameter} must be a whole number from ${min} to ${max}`)
}

/** A number as in JSON: `Number` would also accept ` 5`, `0x10` and an empty text. */
export function readNumber(
  parameter: string,
  text: string,
  { minimum, maximum, example }: { minimum: number; maximum?: number; example: number },
): number {
  const number = /^(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  if (number >= minimum && number <= (maximum ?? Number.MAX_VALUE)) return number
  const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  throw badRequest(`The query parameter ${parameter} must be a number ${range}, such as ${example}`)
}

/**
 * A query parameter that is a time, in nanoseconds. A date is its start in UTC, for both bounds of a period: periods of dates are whole
 * days, and nothing is in two adjacent ones. With `nowMs`, times relative to it are allowed.
 */
export function readQueryTime(parameter: string, text: string | undefined, nowMs?: number): bigint | undefined {
  if (text === undefined) return undefined
  const time = nowMs === undefined ? parseTimestamp(text) : parseTime(text, nowMs)
  if (time) return time.from
  const dateTime = 'a date-time of RFC 3339 (2026-11-14T09:30:00Z)'
  const forms = nowMs === undefined ? ` or ${dateTime}` : `, ${dateTime} or a relative time (-24h)`
  throw badRequest(`The query parameter ${parameter} must be a date (2026-11-14)${forms}`)
}

export function readUuid(parameter: string, text: string): string {
  if (!isUuid(text)) throw badRequest(`The query parameter ${parameter} must be a UUID`)
  return text.toLowerCase()
}

type Guard<Value> = (value: unknown) => value is Value

/**
 * The cursors of a list: the position of the last row of a page as an opaque text. `fields` are what the list is ordered by. A cursor also
 * contains the name of its order, because a position in one order would skip rows in another one without a message.
 */
export function cursorOf<Position extends Record<string, unknown>>(
  fields: {
    [Name in keyof Position]: Guard<Position[Name]>
  },
) {
  const guards: [string, (value: unknown) => boolean][] = Object.entries(fields)
  const isPosition = (values: Record<string, unknown>): values is Position =>
    guards.every(([name, isValid]) => isValid(values[name]))
  return {
    write: (position: Position, order = ''): string => {
      const values = guards.map(([name]) => position[name])
      return Buffer.from(JSON.stringify([order, ...values])).toString('base64url')
    },

    /** Undefined without a cursor: the list begins at its first row. */
    read: (text: string | undefined, order = ''): Position | undefined => {
      if (text === undefined) return undefined
      const [of, ...values] = parseList(text)
      const position = Object.fromEntries(guards.map(([name], index) => [name, values[index]]))
      if (values.length !== guards.length || !isPosition(position)) throw invalidCursor()
      if (of !== order)
        throw badRequest(
          'The query parameter cursor belongs to another sort; repeat the sort of the response that it is from',
        )
      return position
    },
  }
}

export function invalidCursor(): AppError {
  return badRequest('The query parameter cursor must be the nextCursor of an earlier response')
}

/** A position of such a list. */
export type PositionIn<Cursor extends { read: (text: string) => unknown }> = NonNullable<ReturnType<Cursor['read']>>

export function isId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value) && value === value.toLowerCase()
}

/** No stored text contains U+0000, and not every engine accepts it in a query. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

export function isNumberOrNull(value: unknown): value is number | null {
  return value === null || isNumber(value)
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    // Not a cursor of ours: rejected like any other value.
    return []
  }
}
