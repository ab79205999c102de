import { badRequest } from '../base/errors.ts'
import type { AttributeValue } from '../traces/storing/received-span.ts'

/** The same limits as for OTLP. The depth of a body is limited for all routes. */
const KEYS_MAX = 1_000
/** The total number of values in one object, nested values included. */
const VALUES_MAX = 10_000

/** The members of a free-form object, such as metadata. Every JSON value is a valid attribute value. */
export function nativeValues(field: string, object: Record<string, unknown> = {}): [string, AttributeValue][] {
  const entries = Object.entries(object)
  if (entries.length > KEYS_MAX) {
    throw badRequest(`The field ${field} must not have more than ${KEYS_MAX} keys; this one has ${entries.length}`)
  }
  let left = VALUES_MAX
  const readValue = (value: unknown): AttributeValue => {
    left -= 1
    if (left < 0) throw badRequest(`The field ${field} must not hold more than ${VALUES_MAX} values`)
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
    if (Array.isArray(value)) return value.map(readValue)
    if (typeof value !== 'object' || value === null) return null
    const members: { [key: string]: AttributeValue } = Object.create(null)
    for (const [key, entry] of Object.entries(value)) members[key] = readValue(entry)
    return members
  }
  return entries.map(([key, value]) => [key, readValue(value)])
}
