/** Pieces that the schemas of all resources are made of. */
import { type TObject, type TProperties, Type } from 'typebox'
import { UUID_PATTERN } from '../base/ids.ts'
import { ROLES, type Role } from '../base/principal.ts'

/** Limits that the specification leaves open. Lengths count code points, as people do. */
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

export const RoleName = Type.Unsafe<Role>({ title: 'Role', type: 'string', enum: [...ROLES] })

// Two types in one schema, not a union of two schemas: its complaint then names the field and both kinds.
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: TEXT_LENGTH_MAX })
export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const NullableId = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'uuid',
  pattern: UUID_PATTERN,
})
export const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })

/**
 * A query parameter, which is always text when it comes. `valueSchema` is what that text has to be: the description shows it, and the handler
 * reads it, with a message of its own for what is wrong.
 */
export function queryText(valueSchema: Record<string, unknown>) {
  return Type.Optional(Type.Unsafe<string>({ type: 'string', maxLength: 500, valueSchema }))
}

/** For the routes that declare an error which does not follow from what they take. */
export const ErrorBody = Type.Object({ error: Type.String() }, { title: 'Error', additionalProperties: false })

/** An object with exactly these fields: no more, in requests and in answers. A title makes it a named part of the description. */
export function closed<Fields extends TProperties>(
  fields: Fields,
  options: { title?: string; minProperties?: number } = {},
): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: false, ...options })
}

export function listOf<Item extends TProperties>(item: TObject<Item>) {
  return closed({ data: Type.Array(item) })
}
