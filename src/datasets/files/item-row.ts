import { AppError } from '../../base/errors.ts'
import { parseJson } from '../../base/json.ts'
import { contentText } from '../../traces/trace-content.ts'
import { CONTENT_LENGTH_MAX, type ItemContent, overlongField } from '../items/item-content.ts'
import { isSplit, SPLITS } from '../splits/split.ts'

/** The columns of a file of items. `id` is only informative: an imported item gets a new one. */
export const ITEM_COLUMNS = ['id', 'input', 'output', 'expected', 'metadata', 'traceId', 'split'] as const
const TRACE_ID_LENGTH_MAX = 128
const NAME_SHOWN_MAX = 100

export type ItemColumn = (typeof ITEM_COLUMNS)[number]

/** The content of a row of a file, or its error. Rows are counted from 1, as in spreadsheets and editors. */
export type FileRow = { row: number } & (
  | { content: ItemContent; error?: undefined }
  | { error: string; content?: undefined }
)

/** What is wrong with a row: the reason follows the name of the field, or stands alone if it is about the row. */
export type RowProblem = { field?: ItemColumn; reason: string }

/** Reads a row of named values, each a text, null, or any other JSON value. */
export function readRow(row: number, fields: Record<string, unknown>): FileRow {
  const unknown = Object.keys(fields).find((name) => !isColumn(name))
  if (unknown !== undefined) return { row, error: unknownColumn(unknown) }
  const read = readFields(fields)
  if ('content' in read) return { row, content: read.content }
  return { row, error: read.field === undefined ? read.reason : `${read.field} ${read.reason}` }
}

/** The same for fields that are known. */
export function readFields(fields: Partial<Record<ItemColumn, unknown>>): { content: ItemContent } | RowProblem {
  const { traceId = null, input, output, expected, metadata = null, split = null } = fields
  if (traceId !== null && !isTraceId(traceId)) {
    return { field: 'traceId', reason: `must be a text of 1 to ${TRACE_ID_LENGTH_MAX} characters` }
  }
  if (metadata !== null && (typeof metadata !== 'object' || Array.isArray(metadata))) {
    return { field: 'metadata', reason: 'must be a JSON object' }
  }
  if (split !== null && !isSplit(split)) return { field: 'split', reason: `must be one of ${SPLITS.join(', ')}` }
  const content: ItemContent = {
    traceRef: traceId,
    input: contentText(input),
    output: contentText(output),
    expected: contentText(expected),
    metadata: contentText(metadata),
    split,
  }
  if (content.traceRef === null && content.input === null) return { reason: 'An input or a traceId is required' }
  const overlong = overlongField(content)
  return overlong ? { field: overlong, reason: overlongReason() } : { content }
}

export function overlongCell(name: string): string {
  return `${name} ${overlongReason()}`
}

export function overlongReason(): string {
  return `must have at most ${CONTENT_LENGTH_MAX} characters`
}

export function isColumn(name: string): name is ItemColumn {
  return ITEM_COLUMNS.some((column) => column === name)
}

export function unknownColumn(name: string): string {
  return `The column ${JSON.stringify(name.slice(0, NAME_SHOWN_MAX))} is not known; the columns are ${ITEM_COLUMNS.join(', ')}`
}

/** Parses JSON by the rules of request bodies. Error messages name `subject` instead of the body. */
export function parseRowJson(bytes: Uint8Array, subject: string): { value: unknown } | { error: string } {
  try {
    return { value: parseJson(bytes) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { error: error.message.replace('The request body', subject) }
  }
}

function isTraceId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= TRACE_ID_LENGTH_MAX
}
