import { isColumn, overlongReason, parseRowJson, readFields } from '../files/item-row.ts'
import { CONTENT_LENGTH_MAX, type ItemContent } from '../items/item-content.ts'
import { type ColumnMapping, type ColumnUse, IGNORE, metadataKey } from './column-mapping.ts'
import { BrokenText, type TableRow } from './file-table.ts'

const FOUND_LENGTH_MAX = 200

/** A row that cannot become an item. `column` is null if it is about the whole row, and `found` if there is nothing. */
export type BadRow = { row: number; column: string | null; reason: string; found: string | null }

type ReadRow = { content: ItemContent; bad?: undefined } | { bad: BadRow; content?: undefined }

type Problem = { column: string | null; reason: string; found: unknown }

/** Turns the values of a row into the content of an item, by the mapping of its columns. */
export function readTableRow({ row, source, values, problem }: TableRow, mapping: ColumnMapping): ReadRow {
  if (values === undefined) {
    const found = typeof source === 'string' ? source : source.map((cell) => cell ?? '').join(', ')
    return { bad: badRow(row, { column: null, reason: problem, found }) }
  }
  mapping.addAll(values.map(([column]) => column))
  const fields: Record<string, unknown> = {}
  const entries: [key: string, value: unknown][] = []
  for (const [column, given] of values) {
    const use = mapping.useOf(column)
    if (!use || use.field === IGNORE || use.field === 'id') continue
    const read = readValue(use, given)
    if ('reason' in read) return { bad: badRow(row, { column, reason: read.reason, found: given }) }
    if (isColumn(use.field)) fields[use.field] = read.value
    // An empty cell says nothing about the key; a null in JSON does.
    else if (read.value !== null || typeof source === 'string') entries.push([metadataKey(use.field), read.value])
  }
  const { metadata = null } = fields
  if (entries.length > 0 && isObjectOrNull(metadata))
    fields['metadata'] = { ...metadata, ...Object.fromEntries(entries) }
  const read = readFields(fields)
  if ('content' in read) return { content: read.content }
  const column = mapping.columnOf(read.field ?? 'input')
  const found = values.find(([name]) => name === column)?.[1]
  return { bad: badRow(row, { column, reason: read.reason, found }) }
}

function readValue({ as, field }: ColumnUse, given: unknown): { value: unknown } | { reason: string } {
  if (given instanceof BrokenText) return { reason: given.reason }
  if (typeof given !== 'string') return { value: given }
  if (given.includes('\0')) return { reason: 'has a character that cannot be stored (U+0000)' }
  // Before parsing, which is slow.
  if (given.length > CONTENT_LENGTH_MAX) return { reason: overlongReason() }
  if (as === 'text') return { value: given }
  const parsed = parseRowJson(Buffer.from(given), field)
  if (!('error' in parsed)) return parsed
  return { reason: parsed.error.slice(field.length + 1) }
}

function badRow(row: number, { column, reason, found }: Problem): BadRow {
  return { row, column, reason, found: shownText(found) }
}

function shownText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = value instanceof BrokenText ? value.text : typeof value === 'string' ? value : JSON.stringify(value)
  const short = text.length > FOUND_LENGTH_MAX ? `${text.slice(0, FOUND_LENGTH_MAX)}…` : text
  return short.replaceAll('\0', '\ufffd').toWellFormed()
}

function isObjectOrNull(value: unknown): value is object | null {
  return typeof value === 'object' && !Array.isArray(value)
}
