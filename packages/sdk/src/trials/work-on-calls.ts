/**
 * Leases calls of trials and runs them. A call belongs to the worker while it extends the lease; the result of a call that it has lost is
 * not sent. A worker that is stopped lets running calls finish for a while, and then returns them, so that others need not wait for
 * the end of the leases.
 */
import type { ApiRequests } from '../api-requests.ts'
import type { LeasedCall } from '../generated/api.ts'
import { isTransientStatus } from '../retry-policy.ts'
import { ApiError, ConnectionError } from '../sdk-errors.ts'
import { type Answer, type CallEnd, reportAnswer, reportFailure, reportReturn } from './report-call.ts'

/** A third of the lease: two attempts to extend it may fail. */
const EXTEND_MS = 20_000
/** Short, because a worker that is stopped must read the response: it may contain calls. */
const WAIT_SECONDS = 2
const LEASE_TIMEOUT_MS = 30_000
const LEASE_END_MS = 3_000
const TRIAL_POLL_MS = 250
const PAUSE_MS_MAX = 30_000

export interface CallWorker {
  api: ApiRequests
  componentId: string
  /** Only the calls of one trial: the worker ends when all of them have ended. Otherwise, it ends when it is stopped. */
  trialId: string | undefined
  queue: string
  concurrency: number
  /** How long calls may continue to run when the worker is stopped. */
  graceMs: number
  signal: AbortSignal | undefined
  /** The signal is aborted when the result is not needed any more. */
  run(call: LeasedCall, signal: AbortSignal): Promise<Answer>
  onEnd?: ((call: LeasedCall, end: CallEnd) => void) | undefined
  /** For errors that pass, such as a server that is restarted. */
  onProblem?: ((error: Error) => void) | undefined
  extendMs?: number | undefined
}

export async function workOnCalls(worker: CallWorker): Promise<void> {
  const { signal, concurrency, graceMs } = worker
  const running = new Map<Promise<void>, AbortController>()
  const bell = createBell()
  const stop = stopOf(signal, bell)
  const start = (call: LeasedCall) => {
    const control = new AbortController()
    if (signal?.aborted) control.abort(RETURNED)
    const ended = runCall(worker, call, control).finally(() => {
      running.delete(ended)
      bell.ring()
    })
    running.set(ended, control)
  }
  try {
    while (!signal?.aborted) {
      const free = concurrency - running.size
      if (free <= 0) {
        await bell.heard()
        continue
      }
      const calls = await leaseUntilDue(worker, free, { bell, signal: stop.signal })
      for (const call of calls) start(call)
      if (calls.length > 0 || worker.trialId === undefined || signal?.aborted) continue
      if (running.size === 0 && (await hasTrialEnded(worker, worker.trialId))) return
      await bell.heard(TRIAL_POLL_MS)
    }
  } finally {
    // Also after an error: what was leased is finished or returned.
    const timer = setTimeout(() => {
      for (const control of running.values()) control.abort(RETURNED)
    }, graceMs)
    await Promise.all(running.keys())
    clearTimeout(timer)
    stop.end()
  }
}

const RETURNED = new Error('The worker was stopped')
const LOST = new Error('The lease of the call is over')

/** What the worker waits for: the end of a call, or the stop. Not a race of promises: those that live long would keep each race. */
interface Bell {
  ring(): void
  heard(msMax?: number): Promise<void>
}

function createBell(): Bell {
  let wake = () => {}
  return {
    ring: () => wake(),
    heard(msMax) {
      return new Promise((resolve) => {
        const timer = msMax === undefined ? undefined : setTimeout(resolve, msMax)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
  }
}

/** Its signal is aborted some seconds after the stop, for a server that does not respond. */
function stopOf(signal: AbortSignal | undefined, bell: Bell): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const onStop = () => {
    timer = setTimeout(() => controller.abort(RETURNED), LEASE_END_MS)
    bell.ring()
  }
  signal?.addEventListener('abort', onStop, { once: true })
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onStop)
    },
  }
}

/** Returns no calls if there are none, or the worker is stopped. Waits for a server that is away. */
async function leaseUntilDue(
  worker: CallWorker,
  max: number,
  { bell, signal }: { bell: Bell; signal: AbortSignal },
): Promise<LeasedCall[]> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await leaseCalls(worker, max, signal)
    } catch (error) {
      if (worker.signal?.aborted) return []
      if (!isTransient(error)) throw error
      worker.onProblem?.(error)
      await bell.heard(Math.min(1_000 * 2 ** failures, PAUSE_MS_MAX))
      if (worker.signal?.aborted) return []
    }
  }
}

async function leaseCalls({ api, componentId, trialId, queue }: CallWorker, max: number, signal: AbortSignal) {
  const options = { signal, timeoutMs: LEASE_TIMEOUT_MS }
  if (trialId === undefined) {
    const body = { queue, max, waitSeconds: WAIT_SECONDS }
    const path = '/components/{componentId}/calls/lease'
    return (await api.request('POST', path, { params: { componentId }, body, ...options })).calls
  }
  // The trial may end while one would wait.
  const path = '/components/{componentId}/trials/{trialId}/calls/lease'
  return (await api.request('POST', path, { params: { componentId, trialId }, body: { queue, max }, ...options })).calls
}

/** By its status: right after a retry, its calls are still counted as ended. */
async function hasTrialEnded({ api, componentId, signal, onProblem }: CallWorker, trialId: string): Promise<boolean> {
  try {
    const path = '/components/{componentId}/trials/{trialId}'
    const { status } = await api.request('GET', path, { params: { componentId, trialId } })
    return status === 'completed' || status === 'failed'
  } catch (error) {
    if (signal?.aborted || !isTransient(error)) throw error
    onProblem?.(error)
    return false
  }
}

/** Never rejects: what goes wrong is the end of the call, and no problem of others. */
async function runCall(worker: CallWorker, call: LeasedCall, control: AbortController): Promise<void> {
  const { onEnd, extendMs = EXTEND_MS } = worker
  const timer = setInterval(() => void extendLease(worker, call, control), extendMs)
  let end: CallEnd
  try {
    control.signal.throwIfAborted()
    const answer = await unlessAborted(worker.run(call, control.signal), control.signal)
    end = await reportAnswer(worker, call, answer, control.signal)
  } catch (error) {
    if (control.signal.reason === LOST) end = { state: 'lost' }
    else if (control.signal.reason === RETURNED) end = await reportReturn(worker, call)
    else end = await reportFailure(worker, call, error, control.signal)
  } finally {
    clearInterval(timer)
  }
  onEnd?.(call, end)
}

/** An error that passes is ignored: there are further attempts before the lease is over. */
async function extendLease({ api, componentId }: CallWorker, call: LeasedCall, control: AbortController) {
  const params = { componentId, trialId: call.trialId, callId: String(call.id) }
  const path = '/components/{componentId}/trials/{trialId}/calls/{callId}/extend'
  try {
    await api.request('POST', path, { params, body: { lease: call.lease }, signal: control.signal })
  } catch (error) {
    if (error instanceof ApiError && !isTransient(error)) control.abort(LOST)
  }
}

/** The result of a function that ignores its signal is ignored, too. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function isTransient(error: unknown): error is ApiError | ConnectionError {
  return error instanceof ApiError ? isTransientStatus(error.status) : error instanceof ConnectionError
}
