/** Building blocks for the schemas of all resources. */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { UUID_PATTERN } from '../base/ids.ts'
import { ROLES } from '../base/principal.ts'

/** Limits that the specification does not define. Lengths are in code points. */
export const NAME_LENGTH_MAX = 500
const TEXT_LENGTH_MAX = 20_000
const TRACE_REF_LENGTH_MAX = 128
const TRACE_REFS_MAX = 10_000

export const Id = Type.String({ title: 'Id', format: 'uuid', pattern: UUID_PATTERN })
export const Timestamp = Type.String({ title: 'Timestamp', format: 'date-time' })
export const Count = Type.Integer({ minimum: 0 })
export const Name = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })
export const Text = Type.String({ maxLength: TEXT_LENGTH_MAX })
export const TraceRef = Type.String({ minLength: 1, maxLength: TRACE_REF_LENGTH_MAX })
export const TraceRefs = Type.Array(TraceRef, { maxItems: TRACE_REFS_MAX })

export const RoleName = Type.Enum(ROLES, { title: 'Role', type: 'string' })

// Two types in one schema, which Type cannot express, and not a union of two schemas: the error message then names the field and both types.
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: TEXT_LENGTH_MAX })
export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const NullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] })
export const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
export const NullableBoolean = Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] })
export const NullableId = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'uuid',
  pattern: UUID_PATTERN,
})
export const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })

/**
 * A query parameter, which always arrives as a string. `valueSchema` describes the expected value in the OpenAPI document; the handler
 * parses the string and reports errors.
 */
export function queryText(valueSchema: Record<string, unknown>) {
  return Type.Optional(Type.Unsafe<string>({ type: 'string', maxLength: 500, valueSchema }))
}

/** For routes that declare errors other than the default ones. */
export const ErrorBody = Type.Object({ error: Type.String() }, { title: 'Error', additionalProperties: false })

/** An object without additional fields, for requests and responses. A title makes it a named schema of the OpenAPI document. */
export function closed<Fields extends TProperties>(
  fields: Fields,
  options: { title?: string; minProperties?: number } = {},
): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: false, ...options })
}

export function listOf<Item extends TProperties>(item: TObject<Item>) {
  return closed({ data: Type.Array(item) })
}

/** The body of a route with `isBodyOptional`: undefined in the handler if the request has none. */
export function optionalBody<Fields extends TProperties>(body: TObject<Fields>) {
  return Type.Unsafe<Static<TObject<Fields>> | undefined>(body)
}
