import type { AttributeValue } from '../received-span.ts'
import type { MappableSpan } from './convention.ts'
import { keptKeys } from './explain-mapping.ts'
import { type JsonObject, parseGuarded } from './guarded-json.ts'
import { mayHoldSecret, withoutSecrets } from './secret-headers.ts'

/** Objects that senders write as JSON, because an attribute can only be flat. */
const JSON_KEYS = ['metadata', 'langfuse.trace.metadata', 'langfuse.observation.metadata']

/**
 * What a span says beside what it means: the attributes that became nothing else, and who sent it. Keys are those of the
 * attributes; of the same key on the span and on its resource the span's counts. Has no prototype.
 */
export function mapMetadata(span: MappableSpan): Record<string, unknown> {
  const metadata: JsonObject = Object.create(null)
  const { resource, scopeName, scopeVersion, scopeAttributes } = span.origin
  if (scopeName !== '') metadata['otel.scope.name'] = scopeName
  if (scopeVersion !== '') metadata['otel.scope.version'] = scopeVersion
  for (const [key, value] of scopeAttributes) metadata[`otel.scope.${key}`] = shown(key, value)
  for (const [key, value] of resource) metadata[key] = shown(key, value)
  for (const key of keptKeys(span)) metadata[key] = shown(key, span.attributes.get(key) ?? null)
  return metadata
}

function shown(key: string, value: AttributeValue): unknown {
  if (mayHoldSecret(key)) return withoutSecrets(key, value)
  return JSON_KEYS.includes(key) && typeof value === 'string' ? (parseGuarded(value) ?? value) : value
}
