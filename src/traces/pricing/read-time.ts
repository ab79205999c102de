import { timestamp } from '../../base/clock.ts'
import { badRequest } from '../../base/errors.ts'
import { parseDateTime } from '../../base/rfc3339.ts'

/** Normalizes a time from a client. Not before 1970, because the databases treat earlier times differently. */
export function readTime(field: string, text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null
  const ns = parseDateTime(text)
  if (ns === undefined || ns < 0n) throw badRequest(`The field ${field} must be a time, such as 2030-01-31T00:00:00Z`)
  return timestamp(Number(ns / 1_000_000n))
}
