import { Type } from 'typebox'
import { badRequest } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
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

export function readKeysetPage(query: { limit?: string | undefined; cursor?: string | undefined }): KeysetPage {
  return { after: readCursor(query.cursor), limit: readLimit(query.limit) }
}

/** The first `limit` of the rows, of which one more was read, and the cursor of the next page. */
export function cutPage<Row extends { id: string }>(rows: readonly Row[], limit: number) {
  const page = rows.slice(0, limit)
  const lastId = rows.length > limit ? page.at(-1)?.id : undefined
  return { page, nextCursor: lastId === undefined ? null : Buffer.from(lastId).toString('base64url') }
}

function readCursor(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const id = Buffer.from(text, 'base64url').toString()
  if (!isUuid(id)) throw badRequest('The query parameter cursor must be the nextCursor of an earlier response')
  return id.toLowerCase()
}

export function readLimit(text = `${PAGE_DEFAULT}`): number {
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= PAGE_MAX)) throw badRequest(`The query parameter limit must be a whole number from 1 to ${PAGE_MAX}`)
  return limit
}
