import type { ApiRequests } from '../api-requests.ts'
import type { BodyOf, EntryOf, QueryOf } from '../api-types.ts'
import type { Run } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'

const ALL = '/components/{componentId}/runs'
const ONE = '/components/{componentId}/runs/{runId}'
const TRACES = '/components/{componentId}/runs/{runId}/traces'
const CASES = '/components/{componentId}/runs/{runId}/cases'

export class RunResource {
  readonly #api: ApiRequests

  constructor(api: ApiRequests) {
    this.#api = api
  }

  list(componentId: string, query: QueryOf<'GET', typeof ALL> = {}, options: CallOptions = {}): Pages<Run> {
    return this.#api.list(ALL, { params: { componentId }, query, ...options })
  }

  get(componentId: string, runId: string, options: CallOptions = {}): Promise<Run> {
    return this.#api.request('GET', ONE, { params: { componentId, runId }, ...options })
  }

  create(componentId: string, body: BodyOf<'POST', typeof ALL>, options: CallOptions = {}): Promise<Run> {
    return this.#api.request('POST', ALL, { params: { componentId }, body, ...options })
  }

  update(
    componentId: string,
    runId: string,
    body: BodyOf<'PATCH', typeof ONE>,
    options: CallOptions = {},
  ): Promise<Run> {
    return this.#api.request('PATCH', ONE, { params: { componentId, runId }, body, ...options })
  }

  async delete(componentId: string, runId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ONE, { params: { componentId, runId }, ...options })
  }

  /** The traces of a run, also those that have not arrived. */
  traces(
    componentId: string,
    runId: string,
    query: QueryOf<'GET', typeof TRACES> = {},
    options: CallOptions = {},
  ): Pages<EntryOf<typeof TRACES>> {
    return this.#api.list(TRACES, { params: { componentId, runId }, query, ...options })
  }

  /** Links traces to a run, which may not have arrived yet. */
  addTraces(componentId: string, runId: string, traceIds: string[], options: CallOptions = {}): Promise<Run> {
    return this.#api.request('POST', TRACES, { params: { componentId, runId }, body: { traceIds }, ...options })
  }

  /** The items of a run with input, outputs, scores and ratings. */
  cases(
    componentId: string,
    runId: string,
    query: QueryOf<'GET', typeof CASES> = {},
    options: CallOptions = {},
  ): Pages<EntryOf<typeof CASES>> {
    return this.#api.list(CASES, { params: { componentId, runId }, query, ...options })
  }
}
