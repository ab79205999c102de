import { ModelError, UNKNOWN_USAGE, type Usage } from './model-client.ts'

/** A call from its first request to its last byte. */
export type ModelCall = {
  readonly signal: AbortSignal
  /** A request of it was sent and is not answered. */
  isUnanswered: boolean
  /** Rejects when the call exceeds its timeout or is aborted, even if the work ignores its signal. */
  orAborted<Result>(work: Promise<Result>): Promise<Result>
  /** Closes the connection if its response was not read to the end; others are used again. */
  end(): void
}

type CallOptions = { name: string; timeoutMs: number; signals: readonly (AbortSignal | undefined)[] }

export function beginCall({ name, timeoutMs, signals }: CallOptions): ModelCall {
  const ending = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true })
  })
  // It may happen while nothing waits for it.
  aborted.catch(() => undefined)
  const stop = (message: string) => ending.abort(new ModelError('transient', `${name} ${message}`, billOf(call)))
  const cancel = () => stop('was canceled because the work was stopped')
  const timer = setTimeout(() => stop(`did not respond within ${seconds(timeoutMs)}`), timeoutMs)
  const call: ModelCall = {
    signal: ending.signal,
    isUnanswered: false,
    orAborted: (work) => Promise.race([aborted, work]),
    end() {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', cancel)
      if (call.isUnanswered) ending.abort()
    },
  }
  for (const signal of signals) {
    signal?.addEventListener('abort', cancel, { once: true })
    if (signal?.aborted) cancel()
  }
  return call
}

export function billOf({ isUnanswered }: ModelCall): { usage?: Usage } {
  return isUnanswered ? { usage: UNKNOWN_USAGE } : {}
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`
}
