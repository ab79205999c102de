/**
 * Rate limits by token buckets in the memory of this process. A bucket has up to `burst` tokens and gains `perSecond`
 * tokens per second; each request takes one. A request costs less than a microsecond.
 */

export type Rate = { perSecond: number; burst: number }

export type RateLimiter = {
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

/** `now` returns monotonic milliseconds: changing the system time must not change a limit. */
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
