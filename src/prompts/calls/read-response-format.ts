/** The response format of a prompt, in the form of any provider. */
import { badRequest } from '../../base/errors.ts'
import type { ResponseFormat } from '../../llm/chat.ts'
import { jsonSchemaOf } from './read-tools.ts'

type Fields = Record<string, unknown>

const NAME_DEFAULT = 'answer'

/** Undefined for text. Throws 400 for a format that is not known. */
export function readResponseFormat(given: Fields | null): ResponseFormat | undefined {
  if (given === null) return undefined
  // OpenAI's newer API has the format below this key.
  const format: Fields = isObject(given.format) ? given.format : given
  const { type, json_schema: below } = format
  if (type === 'text') return undefined
  if (type === 'json_object' || type === 'json') return { type: 'json' }
  if (type === 'json_schema' || type === 'schema') return ofSchema(isObject(below) ? below : format)
  if ('responseMimeType' in format || 'responseSchema' in format || 'responseJsonSchema' in format) {
    const schema = format.responseJsonSchema ?? format.responseSchema
    if (schema !== undefined) return ofSchema({ schema })
    return format.responseMimeType === 'application/json' ? { type: 'json' } : undefined
  }
  if (SCHEMA_KEYWORDS.some((keyword) => keyword in format)) return ofSchema({ schema: format })
  throw badRequest(
    `The response format of the prompt (${shown(format)}) is not known; use {"type": "json_schema", "json_schema": {"name": …, "schema": …}}, {"type": "json_object"} or null`,
  )
}

/** A schema may be given without anything around it. */
const SCHEMA_KEYWORDS = ['properties', 'anyOf', 'allOf', 'oneOf', '$ref', 'items', 'enum']

function ofSchema({ name, schema, strict }: Fields): ResponseFormat {
  if (!isObject(schema)) {
    throw badRequest(
      'The response format of the prompt has no schema; add "schema", a JSON Schema of an object, or use {"type": "json_object"}',
    )
  }
  return {
    type: 'schema',
    // Providers accept letters, digits, _ and -.
    name: typeof name === 'string' && name !== '' ? name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) : NAME_DEFAULT,
    schema: jsonSchemaOf(schema),
    ...(typeof strict === 'boolean' && { strict }),
  }
}

function shown(format: Fields): string {
  return JSON.stringify(format).slice(0, 100).toWellFormed()
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
