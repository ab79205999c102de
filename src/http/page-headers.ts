import type { Extent, Page } from '../base/page.ts'

/**
 * How long a list is, and where its other pages are (RFC 8288). Addresses are paths of this server with the other parameters of the
 * query as they came, so that they hold behind whatever name the server is reached by.
 */
export function pageHeaders(url: string, { limit, offset }: Page, { count, total }: Extent): Record<string, string> {
  const headers: Record<string, string> = total === undefined ? {} : { 'x-total-count': String(total) }
  // Where nobody has counted, a page that is full may have another one behind it.
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
