import type { ApiRequests } from '../api-requests.ts'
import type { BodyOf, QueryOf, ResponseOf } from '../api-types.ts'
import type { Evaluation, EvaluationDetail, EvaluationEstimate, Score } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'

const ALL = '/components/{componentId}/evaluations'
const ONE = '/components/{componentId}/evaluations/{evaluationId}'
const SCORES = '/components/{componentId}/evaluations/{evaluationId}/scores'
const CANCEL = '/components/{componentId}/evaluations/{evaluationId}/cancel'
const RETRY = '/components/{componentId}/evaluations/{evaluationId}/retry'

export interface EvaluationState {
  id: string
  name: string | null
  status: Evaluation['status']
}

export class EvaluationResource {
  readonly #api: ApiRequests

  constructor(api: ApiRequests) {
    this.#api = api
  }

  list(componentId: string, query: QueryOf<'GET', typeof ALL> = {}, options: CallOptions = {}): Pages<Evaluation> {
    return this.#api.list(ALL, { params: { componentId }, query, ...options })
  }

  get(componentId: string, evaluationId: string, options: CallOptions = {}): Promise<EvaluationDetail> {
    return this.#api.request('GET', ONE, { params: { componentId, evaluationId }, ...options })
  }

  /** Starts an evaluation, which runs in the background. */
  async create(
    componentId: string,
    body: BodyOf<'POST', typeof ALL>,
    options: CallOptions = {},
  ): Promise<EvaluationState> {
    const started = await this.#api.request('POST', ALL, { params: { componentId }, body, ...options })
    // The other form is the response to a dry run.
    return started as EvaluationState
  }

  /** What an evaluation would do and cost. Nothing is started. */
  async estimate(
    componentId: string,
    body: BodyOf<'POST', typeof ALL>,
    options: CallOptions = {},
  ): Promise<EvaluationEstimate> {
    const query = { dry_run: true }
    const estimate = await this.#api.request('POST', ALL, { params: { componentId }, query, body, ...options })
    // The other form is the response to a start.
    return estimate as EvaluationEstimate
  }

  cancel(componentId: string, evaluationId: string, options: CallOptions = {}): Promise<EvaluationState> {
    return this.#api.request('POST', CANCEL, { params: { componentId, evaluationId }, ...options })
  }

  /** Runs failed and canceled scores again. */
  retry(componentId: string, evaluationId: string, options: CallOptions = {}): Promise<EvaluationState> {
    return this.#api.request('POST', RETRY, { params: { componentId, evaluationId }, ...options })
  }

  async delete(componentId: string, evaluationId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ONE, { params: { componentId, evaluationId }, ...options })
  }

  scores(
    componentId: string,
    evaluationId: string,
    query: QueryOf<'GET', typeof SCORES> = {},
    options: CallOptions = {},
  ): Pages<Score> {
    return this.#api.list(SCORES, { params: { componentId, evaluationId }, query, ...options })
  }

  /** Delivers scores of external evaluators, up to 500. Delivering the same again changes nothing. */
  async addScores(
    componentId: string,
    evaluationId: string,
    scores: BodyOf<'POST', typeof SCORES>['scores'],
    options: CallOptions = {},
  ): Promise<ResponseOf<'POST', typeof SCORES>> {
    return this.#api.request('POST', SCORES, { params: { componentId, evaluationId }, body: { scores }, ...options })
  }
}
