import type { IncomingMessage } from 'node:http'
import type { BodyBudget, BodyRoom } from '../base/body-budget.ts'
import type { Caller } from '../base/principal.ts'
import { hasBody } from './json-body.ts'

/** The memory budgets for request bodies: one for authenticated callers and a much smaller one for anonymous requests. */
export type Bodies = { known: BodyBudget; anonymous: BodyBudget }

/** Enough for any body that is accepted without credentials: tokens, names, passwords. */
export const ANONYMOUS_BODY_BYTES_MAX = 16 * 1024

/** Reserves memory for the request body, if there is one, until `serve` has returned the response. */
export function withBodyRoom<Result>(
  bodies: Bodies,
  { raw, address, caller }: { raw: IncomingMessage; address: string; caller: Caller | undefined },
  serve: (room: BodyRoom | undefined) => Promise<Result>,
): Promise<Result> {
  if (!hasBody(raw)) return serve(undefined)
  return withRoom(bodies, { address, caller }, serve)
}

async function withRoom<Result>(
  bodies: Bodies,
  { address, caller }: { address: string; caller: Caller | undefined },
  serve: (room: BodyRoom) => Promise<Result>,
): Promise<Result> {
  // Per user, not per key: a user could create enough keys to fill the memory.
  const room = caller ? bodies.known.open(caller.userId) : bodies.anonymous.open(address)
  try {
    return await serve(room)
  } finally {
    room.release()
  }
}
