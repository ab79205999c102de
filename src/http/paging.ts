/** Pages of lists: the query parameters `limit` and `offset`, and the headers with the total count and the links. */
import { badRequest } from '../base/errors.ts'
import type { Extent, Page } from '../base/page.ts'

export const LIMIT_DEFAULT = 50
export const LIMIT_MAX = 100
export const OFFSET_MAX = 2_147_483_647
export const PAGE_PARAMETERS = ['limit', 'offset'] as const

/** Reads `limit` and `offset`. Plain decimal integers only: a lenient parser would accept `1e1`, ` 5` or `0x10`. */
export function readPage(query: Record<string, unknown>): Page {
  return {
    limit: readInteger(query, 'limit', { min: 1, max: LIMIT_MAX, defaultValue: LIMIT_DEFAULT }),
    offset: readInteger(query, 'offset', { min: 0, max: OFFSET_MAX, defaultValue: 0 }),
  }
}

function readInteger(
  query: Record<string, unknown>,
  name: string,
  { min, max, defaultValue }: { min: number; max: number; defaultValue: number },
): number {
  const text = query[name]
  if (text === undefined) return defaultValue
  const value = typeof text === 'string' && /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : Number.NaN
  // NaN compares false with everything, so it is rejected here too.
  if (!(value >= min && value <= max)) {
    throw badRequest(`The query parameter ${name} must be a whole number from ${min} to ${max}`)
  }
  return value
}

/**
 * The total count of a list and the links to its other pages (RFC 8288). Links are paths, so that they work with any host name of the
 * server, and preserve the other query parameters.
 */
export function pageHeaders(url: string, { limit, offset }: Page, { count, total }: Extent): Record<string, string> {
  const headers: Record<string, string> = total === undefined ? {} : { 'x-total-count': String(total) }
  // Without a total, a full page may be followed by another one.
  const hasNext = total === undefined ? count === limit : offset + limit < total
  if (!hasNext && offset === 0) return headers
  const at = (start: number) => `<${withPage(url, limit, start)}>`
  const links = [
    ...(hasNext ? [`${at(offset + limit)}; rel="next"`] : []),
    ...(offset > 0 ? [`${at(Math.max(0, offset - limit))}; rel="prev"`, `${at(0)}; rel="first"`] : []),
  ]
  return { ...headers, link: links.join(', ') }
}

function withPage(url: string, limit: number, offset: number): string {
  const [path = '', query = ''] = url.split('?', 2)
  const others = query.split('&').filter((part) => part !== '' && !/^(limit|offset)=/.test(part))
  return `${path}?${[...others, `limit=${limit}`, `offset=${offset}`].join('&')}`
}
