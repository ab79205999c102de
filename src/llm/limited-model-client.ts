import type { HostLimits, Limits, Turn } from './host-limits.ts'
import { type ModelClient, ModelError } from './model-client.ts'

/** The call was aborted while it waited for its turn: no request was sent, so there is no cost. */
export class NotSentError extends ModelError {}

type ConnectionTurn = Turn & {
  /** The connection whose limits apply. Limits and rate-limit responses of one connection do not affect others. */
  connection: string
}

/**
 * Per host, for all connections and applications of this process: the sum of their limits could overload the host or exhaust our
 * sockets.
 */
const HOST_LIMITS: Limits = { concurrency: 32, requestsPerMinute: null }

/**
 * Wraps a client so that each call waits for its turn, first at the connection and then at the host. If the provider asks to wait, the
 * connection starts no more calls for that time; calls that already have a turn and wait only for the host are still sent.
 */
export function limitedModelClient(
  client: ModelClient,
  hostLimits: HostLimits,
  { connection, ...turn }: ConnectionTurn,
): ModelClient {
  const connectionTurn: Turn = { ...turn, host: `${connection} ${turn.host}` }
  const hostTurn: Turn = { ...turn, limits: HOST_LIMITS }

  const withTurn = <Result>(call: () => Promise<Result>): Promise<Result> =>
    hostLimits.run(connectionTurn, () => hostLimits.run(hostTurn, () => pauseOnRetryAfter(call))).catch(toModelError)

  async function pauseOnRetryAfter<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      const waitMs = error instanceof ModelError ? error.retryAfterMs : undefined
      if (waitMs !== undefined) hostLimits.pause(connectionTurn.host, waitMs)
      throw error
    }
  }

  /** Converts the reason of the abort signal to a ModelError, because a client throws no other errors. */
  function toModelError(error: unknown): never {
    if (error instanceof ModelError || !turn.signal.aborted) throw error
    throw new NotSentError('transient', 'The work was stopped before the model was called', { cause: error })
  }

  return {
    complete: (question) => withTurn(() => client.complete(question)),
    embed: (question) => withTurn(() => client.embed(question)),
  }
}
