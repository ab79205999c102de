/** Building blocks for the schemas of all resources. */
import {
  type Static,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  Type,
} from 'typebox'
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
/** Not an e-mail address: everyone who opens a shared report sees the names of its authors. */
export const UserName = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: '^(?!\\S+@\\S+$)',
  description: 'Not an e-mail address, because other users and readers of shared reports see it',
})
export const Text = Type.String({ maxLength: TEXT_LENGTH_MAX })
export const TraceRef = Type.String({ minLength: 1, maxLength: TRACE_REF_LENGTH_MAX })
export const TraceRefs = Type.Array(TraceRef, { maxItems: TRACE_REFS_MAX })

export const RoleName = Type.Enum(ROLES, { title: 'Role', type: 'string' })

/** A schema or null, as a union: for objects, and other schemas that have a name. */
export function nullable<Value extends TSchema>(schema: Value, options?: TSchemaOptions) {
  return Type.Union([schema, Type.Null()], options)
}

// What Type cannot express is `Type.Unsafe`, below. The static types follow from the arguments instead of being claimed by each caller.

/** A value or null, with two types in one schema. With a union, the error message would not name null. */
export function orNull<Value extends TSchema>(schema: Value) {
  const { type, ...rest }: { type?: unknown; enum?: readonly unknown[] } = schema
  return Type.Unsafe<Static<Value> | null>({
    type: [type, 'null'],
    ...rest,
    ...(rest.enum && { enum: [...rest.enum, null] }),
  })
}

type JsonTypes = {
  string: string
  number: number
  null: null
  object: Record<string, unknown>
  array: unknown[]
}

/** A value of any of these types in one schema, for the same reason. */
export function ofTypes<Name extends keyof JsonTypes>(type: readonly Name[], options: TSchemaOptions = {}) {
  return Type.Unsafe<JsonTypes[Name]>({ type, ...options })
}

/** An object with any fields. Type.Record would be `patternProperties`, for which generated clients have no type. */
export function anyObject(options: TObjectOptions = {}) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', ...options })
}

/** Values under names that the sender chooses. */
export const Metadata = anyObject()

/** The same schema with a description. */
export function described<Value extends TSchema>(schema: Value, description: string) {
  return Type.Unsafe<Static<Value>>({ ...schema, description })
}

export const NullableText = orNull(Text)
export const NullableString = orNull(Type.String())
export const NullableNumber = orNull(Type.Number())
export const NullableInteger = orNull(Type.Integer())
export const NullableBoolean = orNull(Type.Boolean())
export const NullableId = orNull(Type.String({ format: 'uuid', pattern: UUID_PATTERN }))
export const NullableTimestamp = orNull(Type.String({ format: 'date-time' }))
export const NullableInterval = orNull(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }))

/**
 * A query parameter, which always arrives as a string. `valueSchema` describes the expected value in the OpenAPI document; the handler
 * parses the string and reports errors.
 */
export function queryText(valueSchema: Record<string, unknown>) {
  return Type.Optional(Type.String({ maxLength: 500, valueSchema }))
}

/** A query parameter that is an id. */
export function queryId(description?: string) {
  return queryText({ type: 'string', format: 'uuid', pattern: UUID_PATTERN, ...(description && { description }) })
}

/**
 * A query parameter that is a time. `forms` are those of `parseTimestamp` and, if relative times are allowed, of `parseTime`; `words` are
 * other values.
 */
export function queryTime(
  forms: 'absolute' | 'absolute or relative',
  description: string,
  words: readonly string[] = [],
) {
  const relative = forms === 'absolute' ? [] : [{ type: 'string', pattern: '^-[0-9]{1,9}[smhdw]$' }]
  const absolute = ['date', 'date-time'].map((format) => ({ type: 'string', format }))
  const named = words.length === 0 ? [] : [{ type: 'string', enum: words }]
  return queryText({ anyOf: [...absolute, ...relative, ...named], description })
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
