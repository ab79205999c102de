import type { IncomingHttpHeaders } from 'node:http'

/** The maximum delay: a wrong header must not stop an evaluation for a day. */
export const RETRY_AFTER_MAX_MS = 10 * 60 * 1_000

/** The delay that a provider requests in milliseconds, seconds or as a date; undefined if there is none or it is invalid. */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const exact = wholeNumber(headers['retry-after-ms'])
  if (exact !== undefined) return bounded(exact)
  const text = headers['retry-after']?.trim()
  if (text === undefined) return undefined
  const seconds = wholeNumber(text)
  if (seconds !== undefined) return bounded(seconds * 1_000)
  // Date.parse accepts strings that are not dates; HTTP dates start with a weekday and end with GMT.
  const date = /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : bounded(date - now)
}

function wholeNumber(text: string | string[] | undefined): number | undefined {
  return typeof text === 'string' && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), RETRY_AFTER_MAX_MS)
}
