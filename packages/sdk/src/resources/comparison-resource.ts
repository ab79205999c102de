import type { ApiRequests } from '../api-requests.ts'
import type { BodyOf, QueryOf } from '../api-types.ts'
import type { Comparison, ComparisonFamily } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'

const PATH = '/components/{componentId}/comparisons'

export class ComparisonResource {
  readonly #api: ApiRequests

  constructor(api: ApiRequests) {
    this.#api = api
  }

  /** Compares a run with a baseline. `data` of the result is a page of its rows; everything else describes all of them. */
  get(componentId: string, query: QueryOf<'GET', typeof PATH>, options: CallOptions = {}): Promise<Comparison> {
    return this.#api.request('GET', PATH, { params: { componentId }, query, ...options })
  }

  /** Compares several candidates with one baseline, corrected for choosing among them. */
  getFamily(
    componentId: string,
    body: BodyOf<'POST', typeof PATH>,
    options: CallOptions = {},
  ): Promise<ComparisonFamily> {
    return this.#api.request('POST', PATH, { params: { componentId }, body, ...options })
  }
}
