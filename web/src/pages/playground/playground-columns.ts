import type { PromptContent } from '../../api/generated/api.ts'
import { COLUMNS_MAX, type Column, type Target } from './playground-record.ts'

export type NewColumn = Omit<Column, 'id'>

interface Opened {
  /** Of the address; undefined without any. */
  versions: string | undefined
  /** With which a link calls them; undefined for their own model. */
  target?: Target | undefined
  /** Those that are kept on the device. */
  kept: readonly Column[]
  /** The version that the draft of the prompt changes; undefined without a draft. */
  draftBase: number | null | undefined
  newest: number | undefined
}

/**
 * The columns with which the page opens. A link has precedence over what was there before, but what was written and not saved stays: opening
 * a link must not lose it.
 */
export function openColumns({ versions, target, kept, draftBase, newest }: Opened): Column[] {
  const hasDraft = draftBase !== undefined
  const left = kept.filter(({ content, base }) => content !== 'draft' || hasDraft || base === null)
  if (versions === undefined && left.length > 0) return withDraft(left, draftBase)
  const columns: Column[] = []
  const add = (column: NewColumn) => columns.push(withId(column, [...columns, ...left]))
  for (const name of versions?.split(',') ?? []) {
    const at = left.findIndex((column) => versionsText([column]) === name && (!target || isSame(column.target, target)))
    const [same] = at === -1 ? [] : left.splice(at, 1)
    if (same) columns.push(same)
    else if (name !== 'draft') add({ ...savedColumn(Number(name)), target })
    else if (hasDraft) add(draftColumn(draftBase))
  }
  columns.push(...left.filter(({ content }) => content !== undefined))
  if (columns.length === 0) add(newest === undefined || hasDraft ? draftColumn(draftBase ?? null) : savedColumn(newest))
  return versions === undefined ? withDraft(columns, draftBase) : columns.slice(0, COLUMNS_MAX)
}

/** The draft of the prompt is one of the columns, if there is room for it. */
function withDraft(columns: Column[], base: number | null | undefined): Column[] {
  if (base === undefined || columns.length >= COLUMNS_MAX || columns.some(({ content }) => content === 'draft'))
    return columns
  return [...columns, withId(draftColumn(base), columns)]
}

export function draftColumn(base: number | null): NewColumn {
  return { base, content: 'draft', target: undefined }
}

export function savedColumn(base: number): NewColumn {
  return { base, content: undefined, target: undefined }
}

/** The same version has the same id when the page opens again, so that its answers are found. */
export function withId(column: NewColumn, others: readonly Column[]): Column {
  const name = column.content === 'draft' ? 'draft' : `v${column.base ?? 0}`
  const isFree = (id: string) => others.every((other) => other.id !== id)
  let [id, count] = [name, 1]
  while (!isFree(id)) {
    count += 1
    id = `${name}.${count}`
  }
  return { ...column, id }
}

/** For the address. */
export function versionsText(columns: readonly Column[]): string {
  return columns.map(({ content, base }) => (content === 'draft' ? 'draft' : String(base))).join(',')
}

/**
 * What is sent, and saved as a version. What the prompt leaves to the code (connection or model) stays with the code, also where one is
 * chosen to try it.
 */
export function contentWithTarget(content: PromptContent, target: Target | undefined): PromptContent {
  if (!target) return content
  return {
    ...content,
    provider: content.provider === null ? null : target.provider,
    model: content.model === null ? null : target.model,
  }
}

/** The parts of a version that differ, as words: "message 1", "temperature". */
export function editsOf(before: PromptContent, after: PromptContent): string[] {
  const count = Math.max(before.messages.length, after.messages.length)
  const messages = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !isSame(before.messages[index], after.messages[index]),
  )
  const names = [...new Set([...Object.keys(before.parameters), ...Object.keys(after.parameters)])]
  const parameters = names.filter((name) => !isSame(before.parameters[name], after.parameters[name]))
  return [
    ...messages.map((index) => `message ${index + 1}`),
    ...(before.provider === after.provider ? [] : ['connection']),
    ...(before.model === after.model ? [] : ['model']),
    ...parameters,
    ...(isSame(before.tools, after.tools) ? [] : ['tools']),
    ...(isSame(before.responseFormat, after.responseFormat) ? [] : ['response format']),
  ]
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
