import type { EntryOf, Method, PathOf, RequestOf, ResponseOf } from './api-types.ts'
import type { CallOptions, HttpRequest, HttpSender } from './http-sender.ts'
import { type Page, Pages } from './list-pages.ts'
import { readServerEvents, type ServerEvent } from './server-events.ts'

const PAGE_SIZE = 100

/** The paths whose response is one page of a list. */
export type ListPath = {
  [P in PathOf<'GET'>]: ResponseOf<'GET', P> extends { data: unknown[] } ? P : never
}[PathOf<'GET'>]

/** The last argument may be omitted if nothing in it is required. */
type LastArgument<M extends Method, P extends PathOf<M>> =
  object extends RequestOf<M, P> ? [request?: RequestOf<M, P> & CallOptions] : [request: RequestOf<M, P> & CallOptions]

/** Requests by path, typed by the description of the API. */
export interface ApiRequests {
  /**
   * Sends any request of the API reference:
   * `client.request('GET', '/components/{componentId}/runs', { params: { componentId }, query: { limit: 10 } })`.
   */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...last: LastArgument<M, P>
  ): Promise<ResponseOf<M, P>>

  /** Reads any list of the API reference. Lists with a cursor continue with it, all others by offset. */
  list<P extends ListPath>(path: P, ...last: LastArgument<'GET', P>): Pages<EntryOf<P>>

  /** Reads a stream of server-sent events until it ends, `signal` is aborted, or the loop is left. */
  events<P extends PathOf<'GET'>>(
    path: P,
    ...last: LastArgument<'GET', P>
  ): AsyncGenerator<ServerEvent, void, undefined>
}

export function createApiRequests(sender: HttpSender): ApiRequests {
  return {
    async request<M extends Method, P extends PathOf<M>>(method: M, path: P, ...[request]: LastArgument<M, P>) {
      const { body } = await sender.send(toHttpRequest(method, path, request))
      // The server's tests check every response against the description that this type comes from.
      return body as ResponseOf<M, P>
    },

    list<P extends ListPath>(path: P, ...[request]: LastArgument<'GET', P>) {
      return listPages<EntryOf<P>>(sender, toHttpRequest('GET', path, request))
    },

    async *events(path, ...[request]) {
      const http = toHttpRequest('GET', path, request)
      const response = await sender.open({ ...http, headers: { ...http.headers, accept: 'text/event-stream' } })
      yield* readServerEvents(response, http.signal)
    },
  }
}

function toHttpRequest(method: string, path: string, request: object | undefined): HttpRequest {
  return { ...request, method, path }
}

function listPages<Entry>(sender: HttpSender, http: HttpRequest): Pages<Entry> {
  const query: Record<string, unknown> = { limit: PAGE_SIZE, ...http.query }
  const readFrom = async (position: Record<string, unknown>): Promise<Page<Entry>> => {
    const { body, headers } = await sender.send({ ...http, query: { ...query, ...position } })
    // What `ListPath` selects, as far as the pages are concerned.
    const list = body as { data: Entry[]; nextCursor?: string | null; total?: number; searchedSince?: string | null }
    const next = nextPosition({ list, headers, query, position })
    const counted = headers.get('x-total-count')
    return {
      data: list.data,
      total: counted === null ? list.total : Number(counted),
      ...(list.searchedSince && { searchedSince: list.searchedSince }),
      next: next && (() => readFrom(next)),
    }
  }
  return new Pages(() => readFrom({}))
}

interface ReadPage {
  list: { nextCursor?: string | null }
  headers: Headers
  query: Record<string, unknown>
  position: Record<string, unknown>
}

/** The part of the query that selects the next page; undefined after the last one. */
function nextPosition({ list, headers, query, position }: ReadPage): Record<string, unknown> | undefined {
  if (list.nextCursor !== undefined) return list.nextCursor === null ? undefined : { cursor: list.nextCursor }
  if (!headers.get('link')?.includes('rel="next"')) return undefined
  return { offset: Number(position['offset'] ?? query['offset'] ?? 0) + Number(query['limit']) }
}
