import { badRequest } from '../../base/errors.ts'
import { isColumn } from '../files/item-row.ts'
import { COLUMNS_MAX } from './file-table.ts'

/** A field of an item, a key of its metadata such as `metadata.channel`, or nothing. */
export const IGNORE = 'ignore'
const METADATA_PREFIX = 'metadata.'
const MAPPING_FORM = 'must be a JSON object such as {"question":"input","order":{"field":"metadata.order","as":"json"}}'

/** How the values of a column are read: as they are, or as JSON text that is parsed. */
type ReadAs = 'text' | 'json'
export type ColumnUse = { column: string; field: string; as: ReadAs }

/** Exact names only: a name that merely resembles one could mean anything. A field's own name comes first. */
const ALIASES: readonly (readonly [field: string, names: readonly string[]])[] = [
  ['input', ['input', 'prompt', 'question']],
  ['expected', ['expected', 'expected_output', 'expectedOutput', 'answer']],
]

/** The columns that a download of bad rows adds, so that a corrected file can be imported as it is. */
export const BAD_ROW_COLUMNS = ['import_row', 'import_column', 'import_reason'] as const

/**
 * Decides to which field of an item each column belongs: as the caller says, else by its name, else as a key of the metadata. A JSON file
 * shows its columns row by row, so columns are added as they occur. No two columns have the same field.
 */
export class ColumnMapping {
  readonly #given: ReadonlyMap<string, Omit<ColumnUse, 'column'>>
  readonly #uses = new Map<string, ColumnUse>()
  readonly #columnOfField = new Map<string, string>()

  constructor(given: ReadonlyMap<string, Omit<ColumnUse, 'column'>>) {
    this.#given = given
  }

  /** Adds the columns of a header or of a row. Fields' own names are assigned before their other names. */
  addAll(columns: readonly string[]): void {
    const added = columns.filter((column) => !this.#uses.has(column))
    if (added.length === 0) return
    if (this.#uses.size + added.length > COLUMNS_MAX) throw badRequest(`The file has more than ${COLUMNS_MAX} columns`)
    const uses = new Map<string, ColumnUse>()
    for (const isOwnName of [true, false])
      for (const column of added) {
        if (this.#given.has(column) || isColumn(column) ? !isOwnName : isOwnName) continue
        uses.set(column, this.#assign(column))
      }
    for (const column of added) {
      const use = uses.get(column)
      if (use) this.#uses.set(column, use)
    }
  }

  useOf(column: string): ColumnUse | undefined {
    return this.#uses.get(column)
  }

  /** The column that a field comes from. */
  columnOf(field: string): string | null {
    return this.#columnOfField.get(field) ?? null
  }

  /** Called after the last row: a mapping that does not fit the file is an error of the caller, not of its rows. */
  rejectMisfit(): void {
    const absent = [...this.#given.keys()].find((column) => !this.#uses.has(column))
    const columns = this.uses.map(({ column }) => column.slice(0, 100))
    const known = columns.length > 20 ? [...columns.slice(0, 20), '…'] : columns
    if (columns.length === 0) return
    if (absent !== undefined) {
      const name = JSON.stringify(absent.slice(0, 100))
      throw badRequest(`The file has no column ${name}, which mapping names; its columns are ${known.join(', ')}`)
    }
    if (this.columnOf('input') === null && this.columnOf('traceId') === null) {
      throw badRequest(`No column is mapped to input or traceId; the columns are ${known.join(', ')}`)
    }
  }

  /** In the order of the file. */
  get uses(): ColumnUse[] {
    return [...this.#uses.values()]
  }

  #assign(column: string): ColumnUse {
    const use = { column, ...(this.#given.get(column) ?? this.#default(column)) }
    if (use.field === 'metadata.__proto__') throw badRequest('The file has the forbidden column __proto__')
    if (use.field === IGNORE || use.field === 'id') return use
    const other = this.#columnOfField.get(use.field)
    if (other !== undefined) {
      const both = `${JSON.stringify(other)} and ${JSON.stringify(column)}`
      throw badRequest(`Two columns are mapped to ${use.field}: ${both}. Choose one with the query parameter mapping`)
    }
    this.#columnOfField.set(use.field, column)
    return use
  }

  #default(column: string): Omit<ColumnUse, 'column'> {
    if (BAD_ROW_COLUMNS.some((name) => name === column)) return { field: IGNORE, as: 'text' }
    if (column === 'metadata') return { field: 'metadata', as: 'json' }
    if (isColumn(column) || isMetadataField(column)) return { field: column, as: 'text' }
    const field = ALIASES.find(([, names]) => names.includes(column))?.[0]
    // If the field has a column already, the second one is kept as metadata.
    if (field !== undefined && this.columnOf(field) === null && !this.#isGiven(field)) return { field, as: 'text' }
    return { field: `${METADATA_PREFIX}${column}`, as: 'text' }
  }

  #isGiven(field: string): boolean {
    return [...this.#given.values()].some((use) => use.field === field)
  }
}

function isMetadataField(field: string): boolean {
  return field.startsWith(METADATA_PREFIX) && field.length > METADATA_PREFIX.length
}

/** The whole rest is one key, dots included. */
export function metadataKey(field: string): string {
  return field.slice(METADATA_PREFIX.length)
}

/** Reads the query parameter `mapping`. */
export function readMapping(text: string): ReadonlyMap<string, Omit<ColumnUse, 'column'>> {
  const given = parseObject(text)
  return new Map(Object.entries(given).map(([column, value]) => [column, readUse(column, value)]))
}

function readUse(column: string, value: unknown): Omit<ColumnUse, 'column'> {
  const { field, as, ...others } = typeof value === 'string' ? { field: value } : objectOf(value)
  const name = JSON.stringify(column.slice(0, 100))
  if (Object.keys(others).length > 0) throw badRequest(`The query parameter mapping ${MAPPING_FORM}`)
  if (typeof field !== 'string' || !(isColumn(field) || isMetadataField(field) || field === IGNORE)) {
    const fields = 'id, input, output, expected, metadata, metadata.<key>, traceId, split, ignore'
    throw badRequest(`The query parameter mapping must map ${name} to one of ${fields}`)
  }
  if (as !== undefined && as !== 'text' && as !== 'json') {
    throw badRequest(`The query parameter mapping must read ${name} as text or json`)
  }
  return { field, as: as ?? (field === 'metadata' ? 'json' : 'text') }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    throw badRequest(`The query parameter mapping ${MAPPING_FORM}`)
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`The query parameter mapping ${MAPPING_FORM}`)
  }
  return { ...value }
}
