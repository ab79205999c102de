import { badRequest } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { queryText } from './schemas.ts'

/** A query parameter that is a list of known names, separated by commas. */
export function nameListQuery(names: readonly string[], { isEmptyAllowed, description }: NameListOptions) {
  const name = `(${names.join('|')})`
  const list = `${name}(,${name})*`
  return queryText({ type: 'string', pattern: isEmptyAllowed ? `^(${list})?$` : `^${list}$`, description })
}

type NameListOptions = { isEmptyAllowed: boolean; description: string }

/** The names of such a list, in their own order. */
export function readNames<Name extends string>(parameter: string, text: string, known: readonly Name[]): Name[] {
  const given = text.split(',')
  const names = known.filter((name) => given.includes(name))
  if (names.length < given.length)
    throw badRequest(`The query parameter ${parameter} must be a list of ${known.join(', ')}, separated by commas`)
  return names
}

export function readBoolean(parameter: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw badRequest(`The query parameter ${parameter} must be true or false`)
  return text === 'true'
}

/** How many rows a page has. */
export function readLimit(text: string | undefined, limits: { default: number; max: number }): number {
  if (text === undefined) return limits.default
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= limits.max))
    throw badRequest(`The query parameter limit must be a whole number from 1 to ${limits.max}`)
  return limit
}

export function readUuid(parameter: string, text: string): string {
  if (!isUuid(text)) throw badRequest(`The query parameter ${parameter} must be a UUID`)
  return text.toLowerCase()
}
