/**
 * Limits per caller: requests per second of a key or a user, failed authentications per second of an address, open event streams.
 * They are counted in the memory of this process, so with several servers the limits multiply.
 */
import { AppError, tooManyRequests } from '../base/errors.ts'
import type { Caller } from '../base/principal.ts'
import { createRateLimiter, type Rate, type RateLimiter, rateLimitHeaders } from '../base/token-bucket.ts'

export type CallerLimitOptions = {
  requests: Rate
  failures: Rate
  /** Per key, or for the sessions of a user. All keys and sessions of a user together may have twice as many. */
  eventStreamsMax: number
  /** Monotonic milliseconds. */
  now?: () => number
}

export type CallerLimits = {
  /** All methods that count throw 429. */
  countRequest(caller: Caller): void
  countAnonymous(address: string): void
  /** Whether the credential authenticated a request before. Such credentials are looked up even if their address failed too often. */
  isAccepted(credentialHash: string): boolean
  /** Call before looking up any other credential. */
  assertMayTry(address: string): void
  recordSuccess(credentialHash: string): void
  recordFailure(address: string, credentialHash: string): void
  openStream(caller: Caller): () => void
}

/** Above this, the oldest entries are removed; the next request of such a credential adds it again. */
const ACCEPTED_MAX = 20_000
const STREAM_RETRY_SECONDS = 10

export function createCallerLimits({ requests, failures, eventStreamsMax, now }: CallerLimitOptions): CallerLimits {
  const requestLimit = createRateLimiter(requests, now)
  const failureLimit = createRateLimiter(failures, now)
  const accepted = new Set<string>()
  const openStreams = new Map<string, number>()

  function take(limiter: RateLimiter, policy: string, key: string): void {
    const seconds = limiter.take(key)
    if (seconds > 0) throw rateExceeded(policy, limiter.rate, seconds)
  }

  function closeStream(key: string): void {
    const left = (openStreams.get(key) ?? 0) - 1
    if (left > 0) openStreams.set(key, left)
    else openStreams.delete(key)
  }

  return {
    countRequest: (caller) => take(requestLimit, 'requests', caller.credentialId),
    countAnonymous: (address) => take(requestLimit, 'requests', address),
    // Otherwise users who share an address with an attacker would be locked out.
    isAccepted: (credentialHash) => accepted.has(credentialHash),
    assertMayTry(address) {
      const seconds = failureLimit.wait(address)
      if (seconds > 0) throw rateExceeded('failed-authentications', failures, seconds)
    },
    recordSuccess(credentialHash) {
      if (accepted.has(credentialHash)) return
      const [oldest] = accepted
      if (accepted.size >= ACCEPTED_MAX && oldest !== undefined) accepted.delete(oldest)
      accepted.add(credentialHash)
    },
    recordFailure(address, credentialHash) {
      accepted.delete(credentialHash)
      failureLimit.take(address)
    },
    openStream({ credentialId, userId }) {
      const user = `user ${userId}`
      const ofCredential = openStreams.get(credentialId) ?? 0
      const ofUser = openStreams.get(user) ?? 0
      if (ofCredential >= eventStreamsMax || ofUser >= 2 * eventStreamsMax) {
        throw tooManyRequests('Too many event streams are open; close some of them', STREAM_RETRY_SECONDS)
      }
      openStreams.set(credentialId, ofCredential + 1)
      openStreams.set(user, ofUser + 1)
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        closeStream(credentialId)
        closeStream(user)
      }
    },
  }
}

function rateExceeded(policy: string, rate: Rate, seconds: number): AppError {
  const headers = rateLimitHeaders(policy, rate, seconds)
  return new AppError(429, `Too many requests; the limit is ${rate.perSecond} per second`, { headers })
}
