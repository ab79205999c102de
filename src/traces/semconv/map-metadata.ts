import { quoteText } from '../../base/json.ts'
import type { AttributeValue, ResourceScope } from '../storing/received-span.ts'
import type { MappableSpan } from './conventions/convention.ts'
import { unusedKeys } from './explain-mapping.ts'
import { type JsonObject, parseGuarded } from './json/guarded-json.ts'
import type { PickedParameters } from './model-parameters.ts'
import { mayHoldSecret, withoutSecrets } from './secret-headers.ts'

/** Objects that are sent as JSON, because attributes are flat. */
const JSON_KEYS = ['metadata', 'langfuse.trace.metadata', 'langfuse.observation.metadata']

/**
 * The metadata of a span: the attributes that were not mapped, and its resource scope. Keys are those of the attributes; the span takes
 * precedence over its resource. Has no prototype.
 */
export function mapMetadata(span: MappableSpan): Record<string, unknown> {
  const metadata = ofResourceScope(span.resourceScope)
  for (const key of unusedKeys(span)) metadata[key] = shown(key, span.attributes.get(key) ?? null)
  return metadata
}

/** The same as JSON text. Spans share their resource scopes, so the JSON of each is written once. */
export function metadataJson(span: MappableSpan, settings?: PickedParameters): string {
  const resourceScope = writtenResourceScope(span.resourceScope)
  let json = resourceScope.json
  for (const key of unusedKeys(span, settings)) {
    // The key exists in both: the span takes precedence, and a key may be written only once.
    if (resourceScope.keys.has(key)) return JSON.stringify(mapMetadata(span))
    const value = shown(key, span.attributes.get(key) ?? null)
    const separator = json === '' ? '' : ','
    json += `${separator}${quoteText(key)}:${typeof value === 'string' ? quoteText(value) : JSON.stringify(value)}`
  }
  return `{${json}}`
}

function ofResourceScope({ resource, scopeName, scopeVersion, scopeAttributes }: ResourceScope): JsonObject {
  const metadata: JsonObject = Object.create(null)
  if (scopeName !== '') metadata['otel.scope.name'] = scopeName
  if (scopeVersion !== '') metadata['otel.scope.version'] = scopeVersion
  for (const [key, value] of scopeAttributes) metadata[`otel.scope.${key}`] = shown(key, value)
  for (const [key, value] of resource) metadata[key] = shown(key, value)
  return metadata
}

type WrittenResourceScope = { keys: ReadonlySet<string>; json: string }
const writtenResourceScopes = new WeakMap<ResourceScope, WrittenResourceScope>()

function writtenResourceScope(resourceScope: ResourceScope): WrittenResourceScope {
  const known = writtenResourceScopes.get(resourceScope)
  if (known) return known
  const metadata = ofResourceScope(resourceScope)
  const written = { keys: new Set(Object.keys(metadata)), json: JSON.stringify(metadata).slice(1, -1) }
  writtenResourceScopes.set(resourceScope, written)
  return written
}

function shown(key: string, value: AttributeValue): unknown {
  if (mayHoldSecret(key)) return withoutSecrets(key, value)
  return JSON_KEYS.includes(key) && typeof value === 'string' ? (parseGuarded(value) ?? value) : value
}
