/** Values of other tools in the form of OTLP as JSON. */
import type { OtlpAttribute } from './import-record.ts'

/** Texts, numbers, booleans and lists of texts stay what they are; everything else becomes JSON. Null and undefined are omitted. */
export function otlpAttributes(fields: Record<string, unknown>): OtlpAttribute[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const converted = otlpValue(value)
    return converted ? [{ key, value: converted }] : []
  })
}

function otlpValue(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (isTexts(value)) return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } }
  return { stringValue: JSON.stringify(value) }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** Nanoseconds since 1970 of a time in ISO 8601, with all its digits; without a zone it is UTC. Undefined if it is no time. */
export function nanoseconds(time: unknown): string | undefined {
  if (typeof time !== 'string') return undefined
  const [, whole = '', fraction = '', zone = 'Z'] =
    /^([\d-]+[T ][\d:]+)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/.exec(time) ?? []
  const milliseconds = Date.parse(`${whole.replace(' ', 'T')}${zone}`)
  if (Number.isNaN(milliseconds)) return undefined
  return String(BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')))
}

/** The codes of OTLP by their names. */
export function statusCode(name: unknown): number {
  const word = String(name).replace('STATUS_CODE_', '')
  return word === 'OK' ? 1 : word === 'ERROR' ? 2 : 0
}

/** `{"question": "…"}` is the text. The name of a single field has no meaning here, and evaluators compare texts. */
export function unwrapOnlyText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const [only, ...others] = Object.values(value)
  return typeof only === 'string' && others.length === 0 ? only : value
}

/** Undefined for what has no content: null, an empty text, list or object. */
export function contentOf(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return undefined
  return typeof value === 'object' && Object.keys(value).length === 0 ? undefined : value
}
