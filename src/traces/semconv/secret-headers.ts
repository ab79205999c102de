/** Some instrumentations record request headers. Credentials in them are not stored. */
import type { AttributeValue } from '../storing/received-span.ts'
import { isJsonObject, parseGuarded } from './json/guarded-json.ts'

const HEADERS = /(?:^|\.)headers?(?:\.|$)/i
const ALL_HEADERS = /(?:^|\.)headers?$/i
/** Suffixes of the names of headers that contain credentials. */
const SECRET_END = /(?:authorization|cookie|token|secret|password|api[-_]?key)$/
const SECRET_INSIDE = /authorization|cookie|token|secret|password|api[-_]?key/i
const REDACTED = '[redacted]'
/** Keys may have 64 KiB and are matched by regular expressions. Only the end of a key names the header. */
const NAME_LENGTH_MAX = 100

/** Whether a key contains headers, so that its value must be checked. */
export function mayHoldSecret(key: string): boolean {
  return HEADERS.test(key)
}

/** For values whose key passes `mayHoldSecret`. JSON text stays JSON text. */
export function withoutSecrets(key: string, value: AttributeValue): AttributeValue {
  if (isSecretName(key)) return REDACTED
  if (typeof value !== 'string') return redactedEntries(value)
  const parsed = parseGuarded(value)
  if (isAttributeValue(parsed)) {
    const [before, after] = [JSON.stringify(parsed), JSON.stringify(redactedEntries(parsed))]
    // Unchanged if nothing was redacted: serializing it again would change whitespace and large numbers.
    return before === after ? value : after
  }
  // Headers in an unknown format (`{'cookie': …}` of Python, truncated JSON) are redacted completely, to be safe.
  return ALL_HEADERS.test(key) && SECRET_INSIDE.test(value) ? REDACTED : value
}

/** Headers as an object, as pairs, as alternating names and values, as lines, or as `{name, value}`. */
function redactedEntries(value: AttributeValue): AttributeValue {
  if (Array.isArray(value)) {
    return value.map((entry, place) => (isSecretName(value[place - 1]) ? REDACTED : redactedEntries(entry)))
  }
  if (typeof value === 'string') return isSecretName(value.slice(0, value.indexOf(':') + 1)) ? REDACTED : value
  if (!isJsonObject(value)) return value
  const hasSecretName = isSecretName(value['name'] ?? value['key'])
  const safe: { [name: string]: AttributeValue } = Object.create(null)
  for (const [name, entry] of Object.entries(value)) {
    safe[name] = isSecretName(name) || (hasSecretName && name === 'value') ? REDACTED : redactedEntries(entry)
  }
  return safe
}

function isSecretName(name: unknown): boolean {
  if (typeof name !== 'string') return false
  const end = name.slice(-NAME_LENGTH_MAX).toLowerCase()
  // A list may be spread over keys: `headers.cookie.0`.
  const header = end.split('.').findLast((segment) => !/^\d+$/.test(segment)) ?? ''
  return SECRET_END.test(header.endsWith(':') ? header.slice(0, -1).trimEnd() : header)
}

/** Every JSON value is a valid attribute value. */
function isAttributeValue(parsed: unknown): parsed is AttributeValue {
  return parsed !== undefined
}
