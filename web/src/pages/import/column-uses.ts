/** To which field of an item each column of a file belongs. */
import { MAPPING_LENGTH_MAX } from '../../api/imports-query.ts'

export interface ColumnUse {
  /** As the API names it: `input`, `metadata.channel`, `ignore`. */
  field: string
  as: 'text' | 'json'
}

export type ColumnUses = Record<string, ColumnUse>

/** Exact names only, as the API maps them. Everything else becomes metadata under its own name. */
const aliases: [field: string, names: string[]][] = [
  ['input', ['input', 'prompt', 'question']],
  ['expected', ['expected', 'expected_output', 'expectedOutput', 'answer']],
]

const ownNames = ['id', 'input', 'output', 'expected', 'metadata', 'traceId', 'split']
const ignoredNames = ['import_row', 'import_column', 'import_reason']

export const IGNORE = 'ignore'

export function defaultUses(columns: string[]): ColumnUses {
  const taken = new Set(columns.filter((column) => ownNames.includes(column)))
  return Object.fromEntries(
    columns.map((column) => {
      if (ignoredNames.includes(column)) return [column, { field: IGNORE, as: 'text' }]
      if (ownNames.includes(column)) return [column, { field: column, as: column === 'metadata' ? 'json' : 'text' }]
      const field = aliases.find(([, names]) => names.includes(column))?.[0]
      if (field === undefined || taken.has(field)) return [column, { field: metadataField(column), as: 'text' }]
      taken.add(field)
      return [column, { field, as: 'text' }]
    }),
  )
}

export function metadataField(column: string): string {
  return column.startsWith('metadata.') && column.length > 'metadata.'.length ? column : `metadata.${column}`
}

/** Values of these fields can be any JSON. */
export function canBeJson(field: string): boolean {
  return ['input', 'output', 'expected'].includes(field) || field.startsWith('metadata.')
}

/** Why a file cannot be imported like this; undefined if it can. */
export function problemOfUses(uses: ColumnUses): string | undefined {
  const columnsOf = new Map<string, string[]>()
  for (const [column, { field }] of Object.entries(uses)) {
    if (field === IGNORE || field === 'id') continue
    columnsOf.set(field, [...(columnsOf.get(field) ?? []), column])
  }
  const twice = [...columnsOf].find(([, columns]) => columns.length > 1)
  if (twice) {
    const [field, columns] = twice
    return `${columns.map((column) => `“${column}”`).join(' and ')} both go to ${fieldName(field)}. Choose one of them.`
  }
  if (!columnsOf.has('input') && !columnsOf.has('traceId')) return 'Choose the column that has the input.'
  return undefined
}

function fieldName(field: string): string {
  return field === 'traceId' ? 'the trace' : field === 'metadata' ? 'all metadata' : field
}

/**
 * The mapping as the API takes it, so that the server does what the page shows. If that is too long for an address, only what differs from
 * the names of the columns.
 */
export function mappingText(uses: ColumnUses): string {
  const whole = textOf(Object.entries(uses))
  if (whole.length <= MAPPING_LENGTH_MAX && encodeURIComponent(whole).length <= ENCODED_LENGTH_MAX) return whole
  const byName = defaultUses(Object.keys(uses))
  return textOf(
    Object.entries(uses).filter(
      ([column, { field, as }]) => byName[column]?.field !== field || byName[column].as !== as,
    ),
  )
}

/** The server accepts 16 kB of request line and headers. */
const ENCODED_LENGTH_MAX = 10_000

function textOf(entries: [string, ColumnUse][]): string {
  return JSON.stringify(
    Object.fromEntries(entries.map(([column, { field, as }]) => [column, as === 'json' ? { field, as } : field])),
  )
}
