/** A custom keyword added to every subschema, to count its uses. */
export const METER = 'meter:part'

const SCHEMA_LENGTH_MAX = 64 * 1024
const SCHEMA_DEPTH_MAX = 64

/** These keywords change what a reference means, or make a check asynchronous. */
const FORBIDDEN = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef', '$async']

/** The keywords that contain subschemas: one, a list, or several by name. */
const HOLDS_PARTS = [
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]
const HOLDS_NAMED_PARTS = [
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]

/**
 * Returns a copy of a schema that counts how often each subschema is used. Subschemas are found as a validator finds
 * them: by keywords and by references. Throws an Error with the reason if the schema cannot be used.
 */
export function meteredSchema(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (JSON.stringify(schema).length > SCHEMA_LENGTH_MAX)
    throw new Error(`it is longer than ${SCHEMA_LENGTH_MAX} characters`)
  // `$id` and `$schema` of the root are removed, because a validator would resolve both.
  const { $id, $schema, ...copy } = structuredClone(schema)
  rejectForbidden(copy, 0)
  const seen = new Set<object>()
  const visit = (part: unknown): void => {
    if (!isHolder(part) || seen.has(part)) return
    seen.add(part)
    if (Array.isArray(part)) {
      for (const entry of part) visit(entry)
      return
    }
    for (const key of HOLDS_PARTS) if (Object.hasOwn(part, key)) visit(part[key])
    for (const key of HOLDS_NAMED_PARTS) if (isHolder(part[key])) Object.values(part[key]).forEach(visit)
    if (typeof part.$ref === 'string') visit(partAt(copy, part.$ref))
    part[METER] = true
  }
  visit(copy)
  return copy
}

function rejectForbidden(value: unknown, depth: number): void {
  if (!isHolder(value)) return
  if (depth > SCHEMA_DEPTH_MAX) throw new Error(`it is nested deeper than ${SCHEMA_DEPTH_MAX} levels`)
  for (const key of FORBIDDEN) {
    // A property with this name is described by an object or a boolean, not by a string.
    if (Object.hasOwn(value, key) && (typeof value[key] === 'string' || key === '$async')) {
      throw new Error(`it uses ${key}, which is not allowed${key === '$id' ? ' below the top' : ''}`)
    }
  }
  for (const entry of Object.values(value)) rejectForbidden(entry, depth + 1)
}

/** Resolves a reference such as `#/$defs/address` (RFC 6901). */
function partAt(schema: Record<string, unknown>, reference: string): unknown {
  if (reference === '#') return schema
  if (!reference.startsWith('#/')) throw new Error(`$ref ${JSON.stringify(reference.slice(0, 100))} must begin with #/`)
  let part: unknown = schema
  for (const step of decodeURIComponent(reference).slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isHolder(part) || !Object.hasOwn(part, key)) throw new Error(`$ref ${reference.slice(0, 100)} leads nowhere`)
    part = part[key]
  }
  return part
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
