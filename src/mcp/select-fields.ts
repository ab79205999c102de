import type { TSchema } from 'typebox'
import { beginning, LongText } from './stored-text.ts'

/** How much of a value a result shows. */
export type Detail = {
  /** Whether inputs and outputs are shown. */
  hasTexts: boolean
  /** Characters of a `LongText`, and of any other text. */
  textMax: number
  stringMax: number
  /** Entries of an array. */
  entriesMax: number
  /** Called for each value of which a part is not shown, except for a `LongText`, which has its own mark. */
  onCut(): void
}

/** No id is longer, except for those of senders that do not follow a convention. */
const REF_LENGTH_MAX = 128
/** Of the beginning of an input or output. */
const PREVIEW_LENGTH_MAX = 600

/**
 * The fields of a value that a schema declares; undefined if nothing is left. Values come from responses of the API, so numbers and words
 * are those of the API. Null is omitted, to save tokens.
 */
export function selectFields(schema: TSchema, value: unknown, detail: Detail): unknown {
  if (value === null || value === undefined) return undefined
  if (value instanceof LongText)
    return detail.hasTexts || value.range.isAlwaysShown ? value.part(detail.textMax) : undefined
  const { type, title, properties, items } = readSchema(schema)
  if (typeof value === 'string')
    return title === 'Preview' && !detail.hasTexts ? undefined : shorten(value, title, detail)
  if (Array.isArray(value)) {
    if (value.length > detail.entriesMax) detail.onCut()
    return items && value.slice(0, detail.entriesMax).map((entry) => selectFields(items, entry, detail))
  }
  if (typeof value !== 'object' || type !== 'object') return value
  const given = new Map<string, unknown>(Object.entries(value))
  const selected = Object.entries(properties).flatMap(([name, field]) => {
    const shown = selectFields(field, given.get(name), detail)
    return shown === undefined ? [] : [[name, shown]]
  })
  return Object.fromEntries(selected)
}

function shorten(text: string, title: unknown, { stringMax, onCut }: Detail): string {
  const previewMax = Math.min(stringMax, PREVIEW_LENGTH_MAX)
  const lengthMax = title === 'Ref' ? REF_LENGTH_MAX : title === 'Preview' ? previewMax : stringMax
  if (text.length <= lengthMax) return text
  onCut()
  return `${beginning(text, lengthMax - 1)}…`
}

type SchemaParts = { type: unknown; title: unknown; properties: Record<string, TSchema>; items: TSchema | undefined }

/** A schema is JSON, and the types of its library do not show which keywords it has. */
function readSchema(schema: TSchema): SchemaParts {
  const { type, title, properties = {}, items }: Partial<SchemaParts> = schema
  return { type, title, properties, items }
}
