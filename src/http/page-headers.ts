import type { Extent, Page } from '../base/page.ts'

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
