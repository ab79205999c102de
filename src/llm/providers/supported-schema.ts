/** Bounds that Anthropic rejects in a schema of answers. Callers that depend on them check the answer. */
const BOUNDS = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])
/** Their keys are names and not keywords. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
const LITERAL = new Set(['const', 'enum', 'default', 'examples', 'required'])

/** The schema without bounds, in which objects allow no additional properties, as the API requires. */
export function supportedSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(schema)
    .filter(([key]) => !BOUNDS.has(key))
    .map(([key, value]) => [key, LITERAL.has(key) ? value : NAMED.has(key) ? eachOf(value) : supported(value)])
  const isObject = schema.type === 'object'
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) }
}

function supported(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(supported)
  return typeof value === 'object' && value !== null ? supportedSchema({ ...value }) : value
}

function eachOf(schemas: unknown): unknown {
  if (typeof schemas !== 'object' || schemas === null) return schemas
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, supported(schema)]))
}
