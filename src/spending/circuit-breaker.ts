/** After this many permanent errors without one answer, further calls would fail, too. */
const REJECTED_MAX = 20

/**
 * Open once a provider has rejected many requests and answered none; `reason` is then set, and no further requests are
 * sent.
 */
export type CircuitBreaker = { readonly reason: string | undefined; rejected(why: string): void; answered(): void }

export function createCircuitBreaker(): CircuitBreaker {
  let count = 0
  let isAnswering = false
  let reason: string | undefined
  return {
    get reason() {
      return reason
    },
    rejected(why) {
      count += 1
      if (!isAnswering && count >= REJECTED_MAX)
        reason = `not sent, because the provider rejected the first ${count} requests: ${why}`
    },
    answered() {
      isAnswering = true
    },
  }
}
