import { badRequest } from '../base/errors.ts'
import type { Page } from '../base/page.ts'

export const LIMIT_DEFAULT = 50
export const LIMIT_MAX = 100
export const OFFSET_MAX = 2_147_483_647
export const PAGE_PARAMETERS = ['limit', 'offset'] as const

/** Reads `limit` and `offset`. Plain decimal integers only: a lenient parser would accept `1e1`, ` 5` or `0x10`. */
export function readPage(query: Record<string, unknown>): Page {
  return {
    limit: readInteger(query, 'limit', { min: 1, max: LIMIT_MAX, defaultValue: LIMIT_DEFAULT }),
    offset: readInteger(query, 'offset', { min: 0, max: OFFSET_MAX, defaultValue: 0 }),
  }
}

function readInteger(
  query: Record<string, unknown>,
  name: string,
  { min, max, defaultValue }: { min: number; max: number; defaultValue: number },
): number {
  const text = query[name]
  if (text === undefined) return defaultValue
  const value = typeof text === 'string' && /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : Number.NaN
  // NaN compares false with everything, so it is rejected here too.
  if (!(value >= min && value <= max)) {
    throw badRequest(`The query parameter ${name} must be a whole number from ${min} to ${max}`)
  }
  return value
}
