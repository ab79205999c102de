import type { IncomingHttpHeaders } from 'node:http'

/** A provider that asks for more is believed this much: a wrong header must not stop an evaluation for a day. */
export const RETRY_AFTER_MAX_MS = 10 * 60 * 1_000

/** How long a provider asks to wait: in milliseconds, seconds or until a date; undefined if it does not, or not so that one could tell. */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const exact = wholeNumber(headers['retry-after-ms'])
  if (exact !== undefined) return bounded(exact)
  const text = headers['retry-after']?.trim()
  if (text === undefined) return undefined
  const seconds = wholeNumber(text)
  if (seconds !== undefined) return bounded(seconds * 1_000)
  // Date.parse takes much for a date that is none; in HTTP every date begins with a weekday and ends with GMT.
  const date = /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : bounded(date - now)
}

function wholeNumber(text: string | string[] | undefined): number | undefined {
  return typeof text === 'string' && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), RETRY_AFTER_MAX_MS)
}
