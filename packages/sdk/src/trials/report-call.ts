/** What a worker reports at the end of a call. A server that is away for a while loses no result. */
import type { ApiRequests } from '../api-requests.ts'
import type { LeasedCall } from '../generated/api.ts'
import { isTransientStatus } from '../retry-policy.ts'
import { ApiError, ConnectionError, TransientError } from '../sdk-errors.ts'
import { sleep } from '../sleep.ts'

export interface Answer {
  output: unknown
  costUsd?: number | undefined
}

/** `lost`: another worker has the call, or no one needs it any more. `returned`: the worker was stopped before the result. */
export type CallEnd =
  | { state: 'done'; output: unknown }
  | { state: 'failed' | 'retrying'; error: string }
  | { state: 'returned' | 'lost' }

interface Reporting {
  api: ApiRequests
  componentId: string
}

const COMPLETE = '/components/{componentId}/trials/{trialId}/calls/{callId}/complete'
const FAIL = '/components/{componentId}/trials/{trialId}/calls/{callId}/fail'
const RELEASE = '/components/{componentId}/trials/{trialId}/calls/{callId}/release'
const ERROR_LENGTH_MAX = 4_000
const PAUSE_MS_MAX = 8_000

export async function reportAnswer(
  { api, componentId }: Reporting,
  call: LeasedCall,
  { output = null, costUsd }: Answer,
  signal: AbortSignal,
): Promise<CallEnd> {
  const body = { lease: call.lease, output, ...(costUsd !== undefined && { costUsd }) }
  const request = { params: paramsOf(componentId, call), body }
  const isKnown = await untilReported(() => api.request('POST', COMPLETE, request), signal)
  return isKnown ? { state: 'done', output } : { state: 'lost' }
}

/** An error of the function that ran the call, or a result that the server rejects, for example because it is too large. */
export async function reportFailure(
  { api, componentId }: Reporting,
  call: LeasedCall,
  error: unknown,
  signal: AbortSignal,
): Promise<CallEnd> {
  const text = errorText(error)
  const body = { lease: call.lease, error: text, transient: error instanceof TransientError }
  const request = { params: paramsOf(componentId, call), body }
  try {
    const ended = await untilReported(() => api.request('POST', FAIL, request), signal)
    return ended ? { state: ended.state === 'retrying' ? 'retrying' : 'failed', error: text } : { state: 'lost' }
  } catch {
    // The server does not accept it, or the worker was stopped: the lease ends by itself.
    return { state: 'lost' }
  }
}

/** Gives the call to others at once. */
export async function reportReturn({ api, componentId }: Reporting, call: LeasedCall): Promise<CallEnd> {
  try {
    await api.request('POST', RELEASE, { params: paramsOf(componentId, call), body: { lease: call.lease } })
    return { state: 'returned' }
  } catch {
    // The lease ends by itself.
    return { state: 'lost' }
  }
}

function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text.slice(0, ERROR_LENGTH_MAX) || 'unknown error'
}

/**
 * Undefined if the lease is not the current one, or the trial is gone. The lease is extended meanwhile. The signal ends the repetitions
 * and no request: a result that exists must not be lost because the worker is stopped.
 */
async function untilReported<Ended>(report: () => Promise<Ended>, signal: AbortSignal): Promise<Ended | undefined> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await report()
    } catch (error) {
      if (error instanceof ApiError && (error.status === 409 || error.status === 404)) return undefined
      const isTransient = error instanceof ApiError ? isTransientStatus(error.status) : error instanceof ConnectionError
      if (!isTransient || signal.aborted) throw error
      await sleep(Math.min(500 * 2 ** failures, PAUSE_MS_MAX), signal)
    }
  }
}

function paramsOf(componentId: string, { trialId, id }: LeasedCall) {
  return { componentId, trialId, callId: String(id) }
}
