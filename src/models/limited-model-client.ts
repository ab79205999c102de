import type { HostLimits, Turn } from './host-limits.ts'
import { type ModelClient, ModelError } from './model-client.ts'

/** Whoever waited for a turn was stopped before it came: nobody was asked, and nothing is to be paid. */
export class NotAskedError extends ModelError {}

/** The same client, each call of which waits for its turn. A provider that asks to wait is not asked by anybody else meanwhile. */
export function limitedModelClient(client: ModelClient, hostLimits: HostLimits, turn: Turn): ModelClient {
  const inTurn = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    hostLimits.run(turn, () => heedingWaits(ask)).catch(stopped)

  async function heedingWaits<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch (error) {
      const waitMs = error instanceof ModelError ? error.retryAfterMs : undefined
      if (waitMs !== undefined) hostLimits.pause(turn.host, waitMs)
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
