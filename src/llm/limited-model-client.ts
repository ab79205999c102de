import type { HostLimits, Limits, Turn } from './host-limits.ts'
import { type ModelClient, ModelError } from './model-client.ts'

/** Whoever waited for a turn was stopped before it came: nobody was asked, and nothing is to be paid. */
export class NotAskedError extends ModelError {}

type QuestionTurn = Turn & {
  /** By whose limits the turn is taken. What one connection may do, and what a provider tells it, is nothing to another. */
  connection: string
}

/**
 * Of one host, for all connections and applications of this process together: their own limits would add up to more than a host bears,
 * or we have sockets for.
 */
const HOST_LIMITS: Limits = { concurrency: 32, requestsPerMinute: null }

/**
 * The same client, each call of which waits for its turn: at the connection, and then at the host. At a connection whose provider asks
 * to wait nobody else gets a turn meanwhile; whoever has one and only waits for the host may still ask.
 */
export function limitedModelClient(
  client: ModelClient,
  hostLimits: HostLimits,
  { connection, ...turn }: QuestionTurn,
): ModelClient {
  const connectionTurn: Turn = { ...turn, host: `${connection} ${turn.host}` }
  const hostTurn: Turn = { ...turn, limits: HOST_LIMITS }

  const inTurn = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    hostLimits.run(connectionTurn, () => hostLimits.run(hostTurn, () => heedingWaits(ask))).catch(stopped)

  async function heedingWaits<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch (error) {
      const waitMs = error instanceof ModelError ? error.retryAfterMs : undefined
      if (waitMs !== undefined) hostLimits.pause(connectionTurn.host, waitMs)
      throw error
    }
  }

  /** Who leaves the line gets the reason of their signal; a client throws nothing but its own errors. */
  function stopped(error: unknown): never {
    if (error instanceof ModelError || !turn.signal.aborted) throw error
    throw new NotAskedError('passing', 'The work was stopped before the model was asked', { cause: error })
  }

  return {
    complete: (question) => inTurn(() => client.complete(question)),
    embed: (question) => inTurn(() => client.embed(question)),
  }
}
