/** The order of a list of traces, and the position in it that a cursor stands for. */
import { badRequest } from '../base/errors.ts'
import { cursorOf, invalidCursor, isId, isNumberOrNull, type PositionIn } from '../http/query-parameters.ts'
import type { Direction, StartPosition } from '../traces/start-order-queries.ts'

const SORT_FIELDS = ['time', 'arrival', 'duration', 'cost', 'tokens'] as const
export const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`])

/** `time` is the start time; `arrival` is the order of the list without parameters. */
export type TraceOrder = { name: string; field: (typeof SORT_FIELDS)[number]; direction: Direction }

const NEWEST_FIRST: TraceOrder = { name: '-time', field: 'time', direction: 'desc' }

/**
 * The last trace of a page. `value` is what the list is sorted by: nanoseconds as text, because no number has all of their digits; null if
 * the trace has none, or in order of arrival. `newestId` is the newest trace when the first page of a list that is sorted by another value
 * was read: a trace that arrives later does not move the others.
 */
export const traceCursor = cursorOf({ id: isId, value: isSortValue, newestId: isId })
export type TracePosition = PositionIn<typeof traceCursor>

function isSortValue(value: unknown): value is number | string | null {
  return isNumberOrNull(value) || (typeof value === 'string' && /^\d{1,19}$/.test(value) && BigInt(value) < 1n << 63n)
}

export function startPositionOf({ id, value }: TracePosition): StartPosition {
  if (typeof value !== 'string') throw invalidCursor()
  return { id, startNs: BigInt(value) }
}

export function readSort(text: string | undefined): TraceOrder {
  if (text === undefined) return NEWEST_FIRST
  const direction = text.startsWith('-') ? 'desc' : 'asc'
  const field = SORT_FIELDS.find((name) => name === text.replace(/^-/, ''))
  if (!field) throw badRequest(`The query parameter sort must be one of ${SORTS.join(', ')}`)
  return { name: text, field, direction }
}
