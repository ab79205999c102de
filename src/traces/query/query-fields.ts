/** The fields of the query language, used for parsing, compiling, error messages and the guide. */
import { closest, distance } from 'fastest-levenshtein'
import { SPAN_KINDS, TRACE_SOURCES } from '../storing/mapped-span.ts'

/**
 * The type of the values of a field. `facet`: a facet value. `text`: text that must match as a whole. `contained`: text
 * that matches anywhere. `words`: one of a few words. `value`: text or a number. `keyed` fields are followed by a dot
 * and a name.
 */
export type Field = {
  valueType: 'facet' | 'text' | 'contained' | 'words' | 'number' | 'duration' | 'time' | 'value'
  words?: readonly string[]
  keyed?: 'evaluator' | 'key'
}

const fields = {
  status: { valueType: 'words', words: ['ok', 'error'] },
  kind: { valueType: 'words', words: SPAN_KINDS },
  name: { valueType: 'facet' },
  model: { valueType: 'facet' },
  provider: { valueType: 'facet' },
  latency: { valueType: 'duration' },
  cost: { valueType: 'number' },
  tokens: { valueType: 'number' },
  input: { valueType: 'contained' },
  output: { valueType: 'contained' },
  tag: { valueType: 'facet' },
  user: { valueType: 'facet' },
  session: { valueType: 'facet' },
  service: { valueType: 'facet' },
  environment: { valueType: 'facet' },
  prompt: { valueType: 'facet' },
  source: { valueType: 'words', words: TRACE_SOURCES },
  component: { valueType: 'text' },
  rating: { valueType: 'text' },
  score: { valueType: 'number', keyed: 'evaluator' },
  metadata: { valueType: 'value', keyed: 'key' },
  has: { valueType: 'words', words: ['annotation', 'error', 'input', 'output', 'cost'] },
  id: { valueType: 'text' },
  trace: { valueType: 'text' },
  start: { valueType: 'time' },
} as const satisfies Record<string, Field>

/** `text` is the field of terms without a field name; it cannot be written in a query. */
export type FieldName = keyof typeof fields | 'text'

export const BARE_TEXT: Field = { valueType: 'contained' }

const byName = new Map<string, { name: FieldName; field: Field }>()
// The keys of the table above, which has no others.
for (const name of Object.keys(fields) as (keyof typeof fields)[]) byName.set(name, { name, field: fields[name] })

/** As written in a query, in the order of the guide. */
export const FIELD_NAMES: readonly string[] = [...byName].map(([name, { field }]) =>
  field.keyed ? `${name}.<${field.keyed}>` : name,
)

export type FoundField = { name: FieldName; field: Field; key: string }

/**
 * Finds a field by its written name, for example `score.correctness`; undefined if there is none, or if a required key
 * is missing.
 */
export function findField(written: string): FoundField | undefined {
  const dot = written.indexOf('.')
  const head = dot === -1 ? written : written.slice(0, dot)
  const key = dot === -1 ? '' : written.slice(dot + 1)
  const found = byName.get(head.toLowerCase())
  if (!found || (found.field.keyed === undefined) !== (dot === -1)) return undefined
  if (found.field.keyed && key === '') return undefined
  return { ...found, key }
}

/** The most similar field name. */
export function similarField(written: string): string | undefined {
  const head = written.split('.', 1)[0]?.toLowerCase() ?? ''
  const exact = byName.get(head)
  if (exact) return exact.field.keyed ? `${exact.name}.<${exact.field.keyed}>` : exact.name
  // Long words are not similar to any field.
  if (head.length > 20) return undefined
  const name = closest(head, [...byName.keys()])
  return distance(head, name) <= (head.length < 4 ? 1 : 2) ? name : undefined
}
