/** What the playground of a prompt keeps on this device: its columns with their edits, and the values that were typed. */
import type { PromptContent } from '../../api/generated/api.ts'
import { readRecord, writeRecord } from '../annotate/browser-records.ts'
import { isObject, readContent } from '../prompts/prompt-draft.ts'

/** A version, unsaved changes of one, or the draft of the prompt, which its own page edits, too. */
export interface Column {
  /** The answers of the column belong to it: `v12`, `v12.2` for a second one, or `draft`. */
  id: string
  /** The version, or the one that is changed; null if there is none yet. */
  base: number | null
  /** Undefined if nothing is changed. */
  content: PromptContent | 'draft' | undefined
  /** The connection and the model that are called instead of those of the content. */
  target: Target | undefined
}

export interface Target {
  provider: string
  model: string
}

/** By the names of variables; of placeholders as JSON. */
export type TypedValues = Record<string, string>

interface HandRow {
  id: number
  values: TypedValues
}

export interface PlaygroundRecord {
  columns: Column[]
  rows: HandRow[]
  /** For all items of a dataset that do not have them. */
  shared: TypedValues
}

export const COLUMNS_MAX = 6

export function recordKey(userId: string, promptId: string): string {
  return `touchstone.playground.${userId}.${promptId}`
}

/** Returns false if the storage is full or blocked. */
export function writePlayground(key: string, record: PlaygroundRecord): boolean {
  return writeRecord(key, record)
}

export function readPlaygroundRecord(key: string): PlaygroundRecord {
  const record = readRecord(key)
  if (!isObject(record)) return { columns: [], rows: [FIRST_ROW], shared: {} }
  const rows = listOf(record['rows']).flatMap(readRow)
  return {
    columns: listOf(record['columns']).flatMap(readColumn).slice(0, COLUMNS_MAX),
    rows: rows.length > 0 ? rows : [FIRST_ROW],
    shared: readValues(record['shared']),
  }
}

const FIRST_ROW: HandRow = { id: 1, values: {} }

function readColumn(value: unknown): Column[] {
  if (!isObject(value)) return []
  const { id, base, target } = value
  if (typeof id !== 'string' || (base !== null && typeof base !== 'number')) return []
  const content = value['content'] === 'draft' ? ('draft' as const) : readContent(value['content'])
  // A column without a version and without a text shows nothing.
  if (base === null && content === undefined) return []
  return [{ id, base, content, target: readTarget(target) }]
}

function readTarget(value: unknown): Target | undefined {
  if (!isObject(value)) return undefined
  const { provider, model } = value
  return typeof provider === 'string' && typeof model === 'string' ? { provider, model } : undefined
}

function readRow(value: unknown): HandRow[] {
  return isObject(value) && typeof value['id'] === 'number'
    ? [{ id: value['id'], values: readValues(value['values']) }]
    : []
}

function readValues(value: unknown): TypedValues {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  )
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** An id that no other one of the list has. */
export function nextId(list: readonly { id: number }[]): number {
  return Math.max(0, ...list.map(({ id }) => id)) + 1
}
