/** Some instrumentation records the headers of requests; what lets somebody in is not kept. */
import type { AttributeValue } from '../received-span.ts'
import { isJsonObject } from './guarded-json.ts'

/** Ends of keys of headers that let somebody in. */
const SECRET_HEADER =
  /(?:^|[.-])(?:authorization|cookie|set-cookie|x-api-key|api-key|[\w-]*(?:token|secret|api-?key))$/i
const HEADERS = /(?:^|\.)headers?(?:\.|$)/i
const REDACTED = '[redacted]'

/** Whether a key is of headers: then its value must be looked at. */
export function mayHoldSecret(key: string): boolean {
  return HEADERS.test(key)
}

export function withoutSecrets(key: string, value: AttributeValue): AttributeValue {
  if (SECRET_HEADER.test(key)) return REDACTED
  if (!isJsonObject(value)) return value
  const safe: { [name: string]: AttributeValue } = Object.create(null)
  for (const [name, entry] of Object.entries(value)) safe[name] = SECRET_HEADER.test(name) ? REDACTED : entry
  return safe
}
