import type { ApiRequests } from '../api-requests.ts'
import type { QueryOf } from '../api-types.ts'
import type { NewTrace, Trace, TraceRow } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'

const ALL = '/traces'
const ONE = '/traces/{traceId}'
const OF_COMPONENT = '/components/{componentId}/traces'

export class TraceResource {
  readonly #api: ApiRequests

  constructor(api: ApiRequests) {
    this.#api = api
  }

  /** The traces of all components, the latest start first, or as `q` and `sort` say. */
  list(query: Omit<QueryOf<'GET', typeof ALL>, 'offset'> = {}, options: CallOptions = {}): Pages<TraceRow> {
    // With `include` the server returns rows with a cursor: new traces, which arrive all the time, do not move them.
    const rows = this.#api.list(ALL, { query: { include: '', ...query }, ...options })
    return rows as Pages<TraceRow>
  }

  /** A trace by its id or by the id that its sender gave it. */
  get(traceId: string, query: QueryOf<'GET', typeof ONE> = {}, options: CallOptions = {}): Promise<Trace> {
    return this.#api.request('GET', ONE, { params: { traceId }, query, ...options })
  }

  /** Sends one trace as JSON. Programs with OpenTelemetry use `init` instead. */
  async create(componentId: string, body: NewTrace, options: CallOptions = {}): Promise<TraceIds> {
    const sent = await this.#api.request('POST', OF_COMPONENT, { params: { componentId }, body, ...options })
    // The other form is the response to several traces.
    return sent as TraceIds
  }

  async delete(traceId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ONE, { params: { traceId }, ...options })
  }
}

export interface TraceIds {
  id: string
  /** The id of its sender. */
  traceId: string
}
