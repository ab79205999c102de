import { timestamp } from '../../base/clock.ts'
import { badRequest } from '../../base/errors.ts'

/** Brings a time given by a client into our one form. Not before 1970: the engines do not agree on what is long ago. */
export function readTime(field: string, text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  if (!(time >= 0)) throw badRequest(`The field ${field} must be a time, such as 2030-01-31T00:00:00Z`)
  return timestamp(time)
}
