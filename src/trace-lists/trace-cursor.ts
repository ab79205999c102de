/** The order of a list of traces, and the position in it that a cursor stands for. */
import { badRequest } from '../base/errors.ts'
import { cursorOf, isId, isNumberOrNull, type PositionIn } from '../http/query-parameters.ts'
import type { Direction } from '../traces/trace-list-queries.ts'

const SORT_FIELDS = ['time', 'duration', 'cost', 'tokens'] as const
export const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`])

/** `time` is the order of arrival, the order of the list without parameters. */
export type TraceOrder = { name: string; field: (typeof SORT_FIELDS)[number]; direction: Direction }

const NEWEST_FIRST: TraceOrder = { name: '-time', field: 'time', direction: 'desc' }

/**
 * The last trace of a page. `value` is what the list is sorted by; null if the trace has none, or if the list is sorted by time.
 * `newestId` is the newest trace when the first page was read: a trace that arrives later does not move the others.
 */
export const traceCursor = cursorOf({ id: isId, value: isNumberOrNull, newestId: isId })
export type TracePosition = PositionIn<typeof traceCursor>

export function readSort(text: string | undefined): TraceOrder {
  if (text === undefined) return NEWEST_FIRST
  const direction = text.startsWith('-') ? 'desc' : 'asc'
  const field = SORT_FIELDS.find((name) => name === text.replace(/^-/, ''))
  if (!field) throw badRequest(`The query parameter sort must be one of ${SORTS.join(', ')}`)
  return { name: text, field, direction }
}
