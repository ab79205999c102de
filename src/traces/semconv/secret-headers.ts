/** Some instrumentation records the headers of requests; what lets somebody in is not kept. */
import type { AttributeValue } from '../storing/received-span.ts'
import { isJsonObject, parseGuarded } from './guarded-json.ts'

const HEADERS = /(?:^|\.)headers?(?:\.|$)/i
const ALL_HEADERS = /(?:^|\.)headers?$/i
/** Ends of names of headers that let somebody in. */
const SECRET_END = /(?:authorization|cookie|token|secret|password|api[-_]?key)$/
const SECRET_INSIDE = /authorization|cookie|token|secret|password|api[-_]?key/i
const REDACTED = '[redacted]'
/** Keys may have 64 KiB, and are compared with expressions: only the end of one tells which header it is. */
const NAME_LENGTH_MAX = 100

/** Whether a key is of headers: then its value must be looked at. */
export function mayHoldSecret(key: string): boolean {
  return HEADERS.test(key)
}

/** For a value of which `mayHoldSecret` says so. A text that is JSON stays one. */
export function withoutSecrets(key: string, value: AttributeValue): AttributeValue {
  if (isSecretName(key)) return REDACTED
  if (typeof value !== 'string') return redactedEntries(value)
  const parsed = parseGuarded(value)
  if (isAttributeValue(parsed)) {
    const [before, after] = [JSON.stringify(parsed), JSON.stringify(redactedEntries(parsed))]
    // As it was sent, if there was nothing to hide: to write it anew would change its spaces and its large numbers.
    return before === after ? value : after
  }
  // Headers in a form that is not known (`{'cookie': …}` of Python, JSON that was cut): rather nothing than a secret.
  return ALL_HEADERS.test(key) && SECRET_INSIDE.test(value) ? REDACTED : value
}

/** Headers as an object, as pairs, as names and values in turn, as lines, or as `{name, value}`. */
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
  // A list may have been spread over keys: `headers.cookie.0`.
  const header = end.split('.').findLast((segment) => !/^\d+$/.test(segment)) ?? ''
  return SECRET_END.test(header.endsWith(':') ? header.slice(0, -1).trimEnd() : header)
}

/** JSON is a tree of exactly what an attribute may be. */
function isAttributeValue(parsed: unknown): parsed is AttributeValue {
  return parsed !== undefined
}
