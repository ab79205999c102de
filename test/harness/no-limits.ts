/** The settings of a server without limits, for tests of other things. */
import { createCallerLimits } from '../../src/auth/caller-limits.ts'
import { createBodyBudget } from '../../src/base/body-budget.ts'
import { createConnections } from '../../src/base/connection-limits.ts'

export const NO_CALLER_LIMITS = createCallerLimits({
  requests: { perSecond: 1e9, burst: 1e9 },
  failures: { perSecond: 1e9, burst: 1e9 },
  eventStreamsMax: 1e9,
})

export function noLimits() {
  const bodies = createBodyBudget({ bytesMax: 1 << 30 })
  return {
    bodies: { known: bodies, anonymous: bodies },
    limits: NO_CALLER_LIMITS,
    connections: noConnectionLimits(),
    opened: Promise.resolve(),
  }
}

export function noConnectionLimits() {
  return createConnections({ totalMax: 1e9, perAddressMax: 1e9, unusedMax: 1e9, isShared: () => false })
}
