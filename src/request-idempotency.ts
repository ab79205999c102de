import { createHash } from 'node:crypto'
import type { Clock } from './base/clock.ts'
import { AppError } from './base/errors.ts'
import { NIL_ID } from './base/ids.ts'
import type { WithIdempotency } from './http/serve-route.ts'
import { createIdempotency } from './storage/idempotency.ts'

const KEY = /^[\x20-\x7e]{1,255}$/

/** Identifies a request with an Idempotency-Key for the storage. */
export function idempotencyFor(clock: Clock): WithIdempotency {
  const withIdempotency = createIdempotency(clock)
  return async ({ key, route, principal, target, body, query }, db, work) => {
    if (!KEY.test(key))
      throw new AppError(400, 'The header Idempotency-Key must be 1 to 255 printable ASCII characters')
    if (route.returnsSecret) {
      throw new AppError(
        400,
        'This response contains a secret and is not stored, so it does not support Idempotency-Key',
      )
    }
    const identity = {
      workspaceId: 'workspaceId' in principal ? principal.workspaceId : NIL_ID,
      scope: `${principal.userId} ${route.method} ${target}`,
      key,
      // Some requests have none.
      bodyHash: createHash('sha256')
        .update(JSON.stringify([body ?? null, Object.entries(Object(query)).sort()]))
        .digest('hex'),
    }
    return withIdempotency(db, identity, work)
  }
}
