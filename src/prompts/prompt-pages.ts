/** The cursors of the lists of versions and of changes, which are ordered by number. */
import { Type } from 'typebox'
import { cursorOf, isId, readLimit } from '../http/query-parameters.ts'
import { closed, queryText } from '../http/schemas.ts'

const PAGE_DEFAULT = 50
const PAGE_MAX = 100

export const pageParameters = {
  limit: queryText({ type: 'integer', minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT }),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The `nextCursor` of the page before.' })),
}

export const PageQuery = closed(pageParameters)

type PageParameters = { limit?: string | undefined; cursor?: string | undefined }

const numbers = cursorOf({ number: isPosition })
const ids = cursorOf({ id: isId })

/** Other numbers are not in the range of the column. */
function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647
}

function readLimitOf({ limit }: PageParameters): number {
  return readLimit(limit, { default: PAGE_DEFAULT, max: PAGE_MAX })
}

export function readNumberPage(query: PageParameters) {
  return { before: numbers.read(query.cursor)?.number, limit: readLimitOf(query) }
}

export function readIdPage(query: PageParameters) {
  return { before: ids.read(query.cursor)?.id, limit: readLimitOf(query) }
}

/** The first `limit` of the rows, of which one more was read, and the cursor of the next page. */
export function numberPage<Row>(found: readonly Row[], limit: number, numberOf: (row: Row) => number) {
  const { data, last } = cut(found, limit)
  return { data, nextCursor: last === undefined ? null : numbers.write({ number: numberOf(last) }) }
}

export function idPage<Row extends { id: string }>(found: readonly Row[], limit: number) {
  const { data, last } = cut(found, limit)
  return { data, nextCursor: last === undefined ? null : ids.write({ id: last.id }) }
}

function cut<Row>(found: readonly Row[], limit: number) {
  const data = found.slice(0, limit)
  return { data, last: found.length > limit ? data.at(-1) : undefined }
}
