import type { IncomingMessage } from 'node:http'
import type { BodyBudget, BodyRoom } from '../base/body-budget.ts'
import type { Caller } from '../base/principal.ts'
import { hasBody } from './json-body.ts'

/** The memory for request bodies: of callers who are known, and, much less, of everybody else. */
export type Bodies = { known: BodyBudget; anonymous: BodyBudget }

/** Enough for every body that is accepted without credentials: tokens, names, passwords. */
export const ANONYMOUS_BODY_BYTES_MAX = 16 * 1024

/** Runs with room for the body of the request, if it has one, until the response is known. */
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
  // By person and not by key: a person may create as many keys as it takes to fill the memory.
  const room = caller ? bodies.known.open(caller.userId) : bodies.anonymous.open(address)
  try {
    return await serve(room)
  } finally {
    room.release()
  }
}
