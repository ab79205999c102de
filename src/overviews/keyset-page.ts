import { Type } from 'typebox'
import { cursorOf, isId, readLimit } from '../http/query-parameters.ts'
import { queryText } from '../http/schemas.ts'

const PAGE_DEFAULT = 50
const PAGE_MAX = 100

/** The query parameters of lists that continue after the id of the last row, newest first. */
export const keysetQuery = {
  limit: queryText({ type: 'integer', minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT }),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The `nextCursor` of the page before.' })),
}

/** `after` is the id of the last row of the page before. */
export type KeysetPage = { after: string | undefined; limit: number }

const rows = cursorOf({ id: isId })

export function readKeysetPage(query: { limit?: string | undefined; cursor?: string | undefined }): KeysetPage {
  return { after: rows.read(query.cursor)?.id, limit: readPageLimit(query.limit) }
}

export function readPageLimit(text: string | undefined): number {
  return readLimit(text, { default: PAGE_DEFAULT, max: PAGE_MAX })
}

/** The first `limit` of the rows, of which one more was read, and the cursor of the next page. */
export function cutPage<Row extends { id: string }>(found: readonly Row[], limit: number) {
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return { page, nextCursor: last ? rows.write({ id: last.id }) : null }
}
