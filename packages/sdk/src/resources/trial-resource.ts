import { continueTrace } from '../active-span.ts'
import type { ApiRequests } from '../api-requests.ts'
import type { BodyOf, EntryOf, QueryOf } from '../api-types.ts'
import type { AcceptedTrial, LeasedCall, Trial, TrialDetail, TrialEstimate } from '../generated/api.ts'
import type { CallOptions } from '../http-sender.ts'
import type { Pages } from '../list-pages.ts'
import { NameNotFoundError, TouchstoneError } from '../sdk-errors.ts'
import type { Answer, CallEnd } from '../trials/report-call.ts'
import { stopAtSignal } from '../trials/stop-at-signal.ts'
import { workOnCalls } from '../trials/work-on-calls.ts'
import type { ComponentResource } from './component-resource.ts'
import { findByName, findNamedComponent, UUID } from './find-component.ts'

const ALL = '/components/{componentId}/trials'
const ONE = '/components/{componentId}/trials/{trialId}'
const CANCEL = '/components/{componentId}/trials/{trialId}/cancel'
const RETRY = '/components/{componentId}/trials/{trialId}/retry'
const CALLS = '/components/{componentId}/trials/{trialId}/calls'

const CONCURRENCY = 8
const GRACE_SECONDS = 5

/** A call with what a function needs to run it. */
export type WorkerCall = LeasedCall & {
  /** Aborted when the result is not needed any more. */
  signal: AbortSignal
  /** What the call has cost, if its trace does not have it. */
  reportCost(usd: number): void
}

export interface WorkOptions {
  /** The id or the name of a component. */
  component: string
  /** The queue of the target of a variant. */
  queue: string
  /**
   * Runs one call and returns its output: text, or any JSON. What it throws is the failure of the call; after a `TransientError` it is
   * tried again, up to five times.
   */
  run: (call: WorkerCall) => unknown
  /** The id or the name of a trial: only its calls, until it has ended. Default: the calls of all trials, until `signal`. */
  trial?: string
  /** How many calls run at a time. Default: 8. */
  concurrency?: number
  /** How long running calls may continue after `signal`; they are then returned to the queue. Default: 5. */
  graceSeconds?: number
  /** Stops the worker. Without one, SIGINT and SIGTERM stop it before they end the program. */
  signal?: AbortSignal
  onEnd?: (call: LeasedCall, end: CallEnd) => void
  /** Called with errors after which the worker goes on, for example while the server is restarted. */
  onProblem?: (error: Error) => void
}

export type WorkCounts = Record<CallEnd['state'], number>

export class TrialResource {
  readonly #api: ApiRequests
  readonly #components: ComponentResource

  constructor(api: ApiRequests, components: ComponentResource) {
    this.#api = api
    this.#components = components
  }

  list(componentId: string, query: QueryOf<'GET', typeof ALL> = {}, options: CallOptions = {}): Pages<Trial> {
    return this.#api.list(ALL, { params: { componentId }, query, ...options })
  }

  get(componentId: string, trialId: string, options: CallOptions = {}): Promise<TrialDetail> {
    return this.#api.request('GET', ONE, { params: { componentId, trialId }, ...options })
  }

  /** A trial by its id or name. Of several with this name, the newest. */
  async find(componentId: string, name: string, options: CallOptions = {}): Promise<TrialDetail> {
    if (UUID.test(name)) return this.get(componentId, name, options)
    const found = await findByName(this.list(componentId, {}, options), name)
    if (!found) throw new NameNotFoundError(`The component has no trial named "${name}".`)
    return this.get(componentId, found.id, options)
  }

  /** Starts a trial, which runs in the background. */
  async create(
    componentId: string,
    body: BodyOf<'POST', typeof ALL>,
    options: CallOptions = {},
  ): Promise<AcceptedTrial> {
    const accepted = await this.#api.request('POST', ALL, { params: { componentId }, body, ...options })
    // The other form is the response to a dry run.
    return accepted as AcceptedTrial
  }

  /** What a trial would cost, need and show. Nothing is started. */
  async estimate(
    componentId: string,
    body: BodyOf<'POST', typeof ALL>,
    options: CallOptions = {},
  ): Promise<TrialEstimate> {
    const query = { dry_run: true }
    const estimate = await this.#api.request('POST', ALL, { params: { componentId }, query, body, ...options })
    // The other form is the response to a start.
    return estimate as TrialEstimate
  }

  cancel(componentId: string, trialId: string, options: CallOptions = {}): Promise<TrialDetail> {
    return this.#api.request('POST', CANCEL, { params: { componentId, trialId }, ...options })
  }

  /** Sends the calls again that failed and can succeed, and those that were skipped because the trial ended. */
  retry(componentId: string, trialId: string, options: CallOptions = {}): Promise<TrialDetail> {
    return this.#api.request('POST', RETRY, { params: { componentId, trialId }, ...options })
  }

  /** Deletes a trial with its calls. Its runs stay. */
  async delete(componentId: string, trialId: string, options: CallOptions = {}): Promise<void> {
    await this.#api.request('DELETE', ONE, { params: { componentId, trialId }, ...options })
  }

  calls(
    componentId: string,
    trialId: string,
    query: QueryOf<'GET', typeof CALLS> = {},
    options: CallOptions = {},
  ): Pages<EntryOf<typeof CALLS>> {
    return this.#api.list(CALLS, { params: { componentId, trialId }, query, ...options })
  }

  /**
   * Runs the calls of a queue in this program. Resolves when it was stopped, or the trial has no more calls. Any number of programs
   * may work on one queue. Spans of functions that are observed belong to the trace of the call.
   */
  async work(options: WorkOptions): Promise<WorkCounts> {
    const { queue, run, concurrency = CONCURRENCY, graceSeconds = GRACE_SECONDS, signal, onEnd, onProblem } = options
    if (!Number.isInteger(concurrency) || concurrency < 1)
      throw new TouchstoneError('concurrency must be a whole number, at least 1.')
    const componentId = UUID.test(options.component)
      ? options.component
      : (await findNamedComponent(this.#components, options.component, { signal })).id
    const trial = options.trial === undefined ? undefined : await this.find(componentId, options.trial, { signal })
    const counts: WorkCounts = { done: 0, failed: 0, retrying: 0, returned: 0, lost: 0 }
    const atSignal = signal ? undefined : stopAtSignal()
    try {
      await workOnCalls({
        api: this.#api,
        componentId,
        trialId: trial?.id,
        queue,
        concurrency,
        graceMs: graceSeconds * 1_000,
        signal: signal ?? atSignal?.signal,
        run: (call, ended) => continueTrace(call.traceparent, () => runAsCall(run, call, ended)),
        onEnd(call, end) {
          counts[end.state] += 1
          onEnd?.(call, end)
        },
        onProblem,
      })
    } finally {
      await atSignal?.end()
    }
    return counts
  }
}

async function runAsCall(run: WorkOptions['run'], call: LeasedCall, signal: AbortSignal): Promise<Answer> {
  let costUsd: number | undefined
  const reportCost = (usd: number) => {
    costUsd = (costUsd ?? 0) + usd
  }
  const output = await run({ ...call, signal, reportCost })
  return { output, costUsd }
}
