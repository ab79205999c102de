import { badRequest } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'

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
      if (values.length !== guards.length || !isPosition(position))
        throw badRequest('The query parameter cursor must be the nextCursor of an earlier response')
      if (of !== order)
        throw badRequest(
          'The query parameter cursor belongs to another sort; repeat the sort of the response that it is from',
        )
      return position
    },
  }
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
