import { POSTS_WITHOUT_KEY } from './generated/posts-without-key.ts'

const FIRST_DELAY_MS = 500
const DELAY_MAX_MS = 8_000
/** A longer wait is a quota and not a busy server: the caller gets the error, with `retryAfter`. */
const RETRY_AFTER_MAX_SECONDS = 60

/**
 * Milliseconds before the next attempt, or undefined if the server asks for a longer wait than a call should last. The delay
 * doubles from 0.5 to 8 seconds; up to a quarter of it is random, so that clients that failed together do not return together.
 */
export function retryDelayMs(
  attempt: number,
  retryAfterSeconds: number | undefined,
  random: () => number,
): number | undefined {
  if (retryAfterSeconds !== undefined) {
    return retryAfterSeconds > RETRY_AFTER_MAX_SECONDS ? undefined : retryAfterSeconds * 1000
  }
  return Math.min(FIRST_DELAY_MS * 2 ** attempt, DELAY_MAX_MS) * (1 - random() / 4)
}

/** Reads `Retry-After`, a number of seconds or a date, as seconds from now. Undefined if it is missing or invalid. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const seconds = (Date.parse(text) - nowMs) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** The request was not handled, or it is not known whether it was. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Otherwise repeating the request could do its work twice. */
export function acceptsIdempotencyKey(method: string, path: string): boolean {
  return method === 'POST' && !POSTS_WITHOUT_KEY.has(path)
}
