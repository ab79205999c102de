import type { ApiRequests } from '../api-requests.ts'
import type { BodyOf, QueryOf } from '../api-types.ts'
import type {
  Experiment,
  ExperimentBudget,
  ExperimentDetail,
  ExperimentEstimate,
  ExperimentResults,
} from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'
import { NameNotFoundError } from '../sdk-errors.ts'
import { findByName, UUID } from './find-component.ts'

const ALL = '/components/{componentId}/experiments'
const ONE = '/components/{componentId}/experiments/{experimentId}'
const RESUME = '/components/{componentId}/experiments/{experimentId}/resume'

export class ExperimentResource {
  readonly #api: ApiRequests

  constructor(api: ApiRequests) {
    this.#api = api
  }

  list(componentId: string, query: QueryOf<'GET', typeof ALL> = {}, options: CallOptions = {}): Pages<Experiment> {
    return this.#api.list(ALL, { params: { componentId }, query, ...options })
  }

  get(componentId: string, experimentId: string, options: CallOptions = {}): Promise<ExperimentDetail> {
    return this.#api.request('GET', ONE, { params: { componentId, experimentId }, ...options })
  }

  /** An experiment by its id or name. Of several with this name, the newest. */
  async find(componentId: string, name: string, options: CallOptions = {}): Promise<ExperimentDetail> {
    if (UUID.test(name)) return this.get(componentId, name, options)
    const found = await findByName(this.list(componentId, {}, options), name)
    if (!found) throw new NameNotFoundError(`The component has no experiment named "${name}".`)
    return this.get(componentId, found.id, options)
  }

  /** Creates an experiment. It calls nothing before it is started. */
  async create(
    componentId: string,
    body: BodyOf<'POST', typeof ALL>,
    options: CallOptions = {},
  ): Promise<ExperimentDetail> {
    const created = await this.#api.request('POST', ALL, { params: { componentId }, body, ...options })
    // The other form is the response to a dry run.
    return created as ExperimentDetail
  }

  /** What an experiment would cost and show, and which items are nearly the same in different splits. Nothing is created. */
  async estimate(
    componentId: string,
    body: BodyOf<'POST', typeof ALL>,
    options: CallOptions = {},
  ): Promise<ExperimentEstimate> {
    const query = { dry_run: true }
    const estimate = await this.#api.request('POST', ALL, { params: { componentId }, query, body, ...options })
    // The other form is the response to a creation.
    return estimate as ExperimentEstimate
  }

  start(componentId: string, experimentId: string, options: CallOptions = {}): Promise<ExperimentDetail> {
    return this.#api.request('POST', `${ONE}/start`, { params: { componentId, experimentId }, ...options })
  }

  /** Ends the search now, and opens the test split for the best candidates so far. */
  stop(componentId: string, experimentId: string, options: CallOptions = {}): Promise<ExperimentDetail> {
    return this.#api.request('POST', `${ONE}/stop`, { params: { componentId, experimentId }, ...options })
  }

  cancel(componentId: string, experimentId: string, options: CallOptions = {}): Promise<ExperimentDetail> {
    return this.#api.request('POST', `${ONE}/cancel`, { params: { componentId, experimentId }, ...options })
  }

  /** Continues an experiment that was canceled or has failed before its test, with other limits if they are given. */
  resume(
    componentId: string,
    experimentId: string,
    { budget, ...options }: CallOptions & { budget?: ExperimentBudget } = {},
  ): Promise<ExperimentDetail> {
    const body = { ...(budget && { budget }) }
    return this.#api.request('POST', RESUME, { params: { componentId, experimentId }, body, ...options })
  }

  /** The verdict on the test items, null before the end, and what the search has done. */
  results(componentId: string, experimentId: string, options: CallOptions = {}): Promise<ExperimentResults> {
    return this.#api.request('GET', `${ONE}/results`, { params: { componentId, experimentId }, ...options })
  }

  /** Deletes an experiment. The versions that it has saved, and the trial of its test, stay. */
  async delete(componentId: string, experimentId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ONE, { params: { componentId, experimentId }, ...options })
  }
}
