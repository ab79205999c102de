import type { IncomingMessage } from 'node:http'
import type { BodyBudget, BodyReservation } from '../base/body-budget.ts'
import type { Caller } from '../base/principal.ts'
import { hasBody } from './json-body.ts'

/** The memory budgets for request bodies: one for authenticated callers and a much smaller one for anonymous requests. */
export type Bodies = { known: BodyBudget; anonymous: BodyBudget }

/** Enough for any body that is accepted without credentials: tokens, names, passwords. */
export const ANONYMOUS_BODY_BYTES_MAX = 16 * 1024

/** Reserves memory for the request body, if there is one, until `serve` has returned the response. */
export function withBodyReservation<Result>(
  bodies: Bodies,
  { raw, address, caller }: { raw: IncomingMessage; address: string; caller: Caller | undefined },
  serve: (reservation: BodyReservation | undefined) => Promise<Result>,
): Promise<Result> {
  if (!hasBody(raw)) return serve(undefined)
  return withReservation(bodies, { address, caller }, serve)
}

async function withReservation<Result>(
  bodies: Bodies,
  { address, caller }: { address: string; caller: Caller | undefined },
  serve: (reservation: BodyReservation) => Promise<Result>,
): Promise<Result> {
  // Per user, not per key: a user could create enough keys to fill the memory.
  const reservation = caller ? bodies.known.open(caller.userId) : bodies.anonymous.open(address)
  try {
    return await serve(reservation)
  } finally {
    reservation.release()
  }
}
