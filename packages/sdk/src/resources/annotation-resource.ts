import type { ApiRequests } from '../api-requests.ts'
import type { BodyOf, QueryOf } from '../api-types.ts'
import type { Annotation } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'

const ALL = '/components/{componentId}/runs/{runId}/annotations'
const ONE = '/components/{componentId}/runs/{runId}/annotations/{annotationId}'

export class AnnotationResource {
  readonly #api: ApiRequests

  constructor(api: ApiRequests) {
    this.#api = api
  }

  list(
    componentId: string,
    runId: string,
    query: Omit<QueryOf<'GET', typeof ALL>, 'include'> = {},
    options: CallOptions = {},
  ): Pages<Annotation> {
    return this.#api.list(ALL, { params: { componentId, runId }, query, ...options })
  }

  /** Creates or updates the caller's annotation of a trace. */
  create(
    componentId: string,
    runId: string,
    body: BodyOf<'POST', typeof ALL>,
    options: CallOptions = {},
  ): Promise<Annotation> {
    return this.#api.request('POST', ALL, { params: { componentId, runId }, body, ...options })
  }

  async delete(componentId: string, runId: string, annotationId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ONE, { params: { componentId, runId, annotationId }, ...options })
  }
}
