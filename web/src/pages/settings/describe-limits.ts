import { countOf } from '../../ui/format-number.ts'

/** The limits of a connection or an endpoint, in words. */
export function describeLimits(concurrency: number, requestsPerMinute: number | null): string {
  const parallel = `${countOf(concurrency, 'request')} at a time`
  return requestsPerMinute === null ? parallel : `${parallel}, ${requestsPerMinute.toLocaleString('en')} per minute`
}
