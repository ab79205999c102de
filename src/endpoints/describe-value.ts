import { cleanText, shortened } from '../base/text.ts'

const FIELDS_MAX = 10
const FIELD_LENGTH_MAX = 40

/** What a JSON value is, for error messages: its kind and, of an object, the names of its fields, but no contents. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty list'
    return value.length === 1 ? 'a list with 1 value' : `a list with ${value.length} values`
  }
  if (typeof value === 'object') return describeFields(Object.keys(value))
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

function describeFields(names: readonly string[]): string {
  if (names.length === 0) return 'an empty object'
  const shown = names.slice(0, FIELDS_MAX).map((name) => shortened(cleanText(name), FIELD_LENGTH_MAX))
  const rest = names.length - shown.length
  return `an object with the fields ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
