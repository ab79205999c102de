/** The order of a list of traces, and the position in it that a cursor stands for. */
import { badRequest } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import type { Direction } from '../traces/trace-list-queries.ts'

const SORT_FIELDS = ['time', 'duration', 'cost', 'tokens'] as const
export const SORTS = SORT_FIELDS.flatMap((field) => [field, `-${field}`])

/** `time` is the order of arrival, the order of the list without parameters. */
export type TraceOrder = { field: (typeof SORT_FIELDS)[number]; direction: Direction }

const NEWEST_FIRST: TraceOrder = { field: 'time', direction: 'desc' }

/**
 * The last trace of a page. `value` is what the list is sorted by; null if the trace has none, or if the list is sorted by time.
 * `newestId` is the newest trace when the first page was read: a trace that arrives later does not move the others.
 */
export type TracePosition = { id: string; value: number | null; newestId: string }

export function readSort(text: string | undefined): TraceOrder {
  if (text === undefined) return NEWEST_FIRST
  const direction = text.startsWith('-') ? 'desc' : 'asc'
  const field = SORT_FIELDS.find((name) => name === text.replace(/^-/, ''))
  if (!field) throw badRequest(`The query parameter sort must be one of ${SORTS.join(', ')}`)
  return { field, direction }
}

export function writeCursor({ field, direction }: TraceOrder, { id, value, newestId }: TracePosition): string {
  return Buffer.from(JSON.stringify([field, direction, id, value, newestId])).toString('base64url')
}

export function readCursor(text: string, order: TraceOrder): TracePosition {
  const [field, direction, id, value, newestId] = partsOf(text)
  const isPosition = isId(id) && isId(newestId) && (value === null || Number.isFinite(value))
  if (!isPosition) throw badRequest('The query parameter cursor is not valid; use the nextCursor of a response')
  if (field !== order.field || direction !== order.direction)
    throw badRequest(
      'The query parameter cursor belongs to another sort; repeat the sort of the response that it is from',
    )
  return { id: id.toLowerCase(), value: typeof value === 'number' ? value : null, newestId: newestId.toLowerCase() }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value)
}

function partsOf(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
