/**
 * Limits per caller: requests per second of a key or a user, failed authentications per second of an address, open event streams.
 * They are counted in the memory of this process, so with several servers the limits multiply.
 */
import { addressGroup } from '../base/address-ranges.ts'
import { AppError, tooManyRequests } from '../base/errors.ts'
import type { Caller } from '../base/principal.ts'

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
  /** Of a credential that authenticated a request before. Such credentials are looked up even if their address failed too often. */
  acceptedId(credentialHash: string): string | undefined
  /** Call before looking up any other credential. */
  assertMayTry(address: string): void
  recordSuccess(credentialHash: string, credentialId: string): void
  recordFailure(address: string, credentialHash: string): void
  openStream(caller: Caller): () => void
}

/** Above this, the oldest entries are removed; the next request of such a credential adds it again. */
const ACCEPTED_MAX = 20_000
const STREAM_RETRY_SECONDS = 10

export function createCallerLimits({ requests, failures, eventStreamsMax, now }: CallerLimitOptions): CallerLimits {
  const requestLimit = createRateLimiter(requests, now)
  const failureLimit = createRateLimiter(failures, now)
  /** Ids by hashes. */
  const accepted = new Map<string, string>()
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
    countAnonymous: (address) => take(requestLimit, 'requests', addressGroup(address)),
    // Otherwise users who share an address with an attacker would be locked out.
    acceptedId: (credentialHash) => accepted.get(credentialHash),
    assertMayTry(address) {
      const seconds = failureLimit.wait(address)
      if (seconds > 0) throw rateExceeded('failed-authentications', failures, seconds)
    },
    recordSuccess(credentialHash, credentialId) {
      if (accepted.has(credentialHash)) return
      const [oldest] = accepted.keys()
      if (accepted.size >= ACCEPTED_MAX && oldest !== undefined) accepted.delete(oldest)
      accepted.set(credentialHash, credentialId)
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

export type Rate = { perSecond: number; burst: number }

type RateLimiter = {
  rate: Rate
  /** Takes a token. Returns 0, or the seconds until the next token. */
  take(key: string): number
  /** Returns the seconds until the next token; 0 if there is one. Takes none. */
  wait(key: string): number
}

type Bucket = { tokens: number; at: number }

/**
 * More than the number of concurrent callers. Above it, the buckets that were unused for longest are deleted, which
 * resets their limits.
 */
const BUCKETS_MAX = 50_000

/**
 * Rate limits by token buckets: a bucket has up to `burst` tokens and gains `perSecond` tokens per second; each request takes one. A
 * request costs less than a microsecond. `now` returns monotonic milliseconds: changing the system time must not change a limit.
 */
export function createRateLimiter(rate: Rate, now = () => performance.now()): RateLimiter {
  const { perSecond, burst } = rate
  const buckets = new Map<string, Bucket>()

  function refilled(key: string): Bucket {
    const at = now()
    const bucket = buckets.get(key)
    if (bucket) {
      bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1_000) * perSecond)
      bucket.at = at
      return bucket
    }
    if (buckets.size >= BUCKETS_MAX) deleteOldest()
    const fresh = { tokens: burst, at }
    buckets.set(key, fresh)
    return fresh
  }

  /** Deletes the first entries of the map, which are the oldest. */
  function deleteOldest(): void {
    let left = BUCKETS_MAX / 10
    for (const key of buckets.keys()) {
      buckets.delete(key)
      left -= 1
      if (left === 0) return
    }
  }

  const waitOf = ({ tokens }: Bucket) => (tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perSecond))

  return {
    rate,
    take(key) {
      const bucket = refilled(key)
      const seconds = waitOf(bucket)
      if (seconds === 0) bucket.tokens -= 1
      return seconds
    },
    wait(key) {
      const bucket = buckets.get(key)
      return bucket ? waitOf(refilled(key)) : 0
    },
  }
}

/**
 * The headers for a client that has reached a limit (draft-ietf-httpapi-ratelimit-headers): a bucket is described as
 * `burst` requests in the time that it needs to fill.
 */
export function rateLimitHeaders(policy: string, { perSecond, burst }: Rate, waitSeconds: number) {
  return {
    'retry-after': String(waitSeconds),
    'ratelimit-policy': `"${policy}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
    ratelimit: `"${policy}";r=0;t=${waitSeconds}`,
  }
}
