import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Connection, PromptContent, PromptVersionRow } from '../../api/generated/api.ts'
import {
  type PromptKey,
  promptLabelsQuery,
  promptVersionsByNumberQuery,
  promptVersionsQuery,
} from '../../api/prompts-query.ts'
import { showUndoToast } from '../../ui/toast-store.ts'
import { EMPTY_CONTENT, type PromptDraft } from '../prompts/prompt-draft.ts'
import { usePromptDraft } from '../prompts/use-prompt-draft.ts'
import { useMe } from '../shell/use-application.ts'
import {
  contentWithTarget,
  draftColumn,
  editsOf,
  openColumns,
  savedColumn,
  versionsText,
  withId,
} from './playground-columns.ts'
import {
  type Column,
  type PlaygroundRecord,
  readPlaygroundRecord,
  recordKey,
  type Target,
  writePlayground,
} from './playground-record.ts'
import type { PlaygroundSearch } from './playground-search.ts'

/** A column with its texts. */
export interface Variant {
  column: Column
  /** "v12", "Draft on v12" or "Draft". */
  name: string
  /** With the chosen connection and model. Undefined while it loads, and if the version was deleted. */
  content: PromptContent | undefined
  /** Without the chosen ones. */
  ownContent: PromptContent | undefined
  /** What is called: the chosen one, or what the prompt names; undefined for the default of the server. */
  target: { provider: string | undefined; model: string | undefined }
  /** The version that is changed. */
  baseContent: PromptContent | undefined
  /** What differs from it; all of it without one. */
  edits: string[]
  isDeleted: boolean
  query: { error: Error | null; isFetching: boolean; refetch: () => Promise<unknown> } | undefined
}

/**
 * The columns of a playground: which versions, what is changed in them, and how they are kept. `onVersions` shows them in the address.
 */
export function useColumns(
  key: PromptKey,
  {
    versions,
    target,
    connections,
    onVersions,
  }: Pick<PlaygroundSearch, 'versions'> & {
    /** Of the versions that a link names. */
    target: Target | undefined
    connections: readonly Connection[]
    onVersions: (versions: string) => void
  },
) {
  const storedAs = recordKey(useMe().userId, key.promptId)
  const rows = useInfiniteQuery(promptVersionsQuery(key))
  const labels = useQuery(promptLabelsQuery(key))
  const { draft, isKept: isDraftKept, setDraft } = usePromptDraft(key.promptId)
  const [record, setRecord] = useState(() => readPlaygroundRecord(storedAs))
  const [isRecordKept, setIsRecordKept] = useState(true)
  const newest = rows.data?.[0]?.number
  const [seen, setSeen] = useState<{ versions: string | undefined }>()
  // When the versions are known, and when a link leads from here to other ones. Nothing is written before something is changed.
  if (rows.data && (!seen || seen.versions !== versions)) {
    setSeen({ versions })
    if (!seen || versions !== versionsText(record.columns))
      setRecord({
        ...record,
        columns: openColumns({ versions, target, kept: record.columns, draftBase: draft?.base, newest }),
      })
  }
  const { columns } = record
  const save = (changes: Partial<PlaygroundRecord>) => {
    const next = { ...record, ...changes }
    setRecord(next)
    setIsRecordKept(writePlayground(storedAs, next))
    if (changes.columns) onVersions(versionsText(changes.columns))
  }
  const bases = [...new Set(columns.flatMap(({ base }) => (base === null ? [] : [base])))]
  const contents = useQuery({ ...promptVersionsByNumberQuery(key, bases), enabled: bases.length > 0 })
  const variants = columns.map((column): Variant => {
    const base = column.base === null ? undefined : contents.data?.get(column.base)
    const own =
      column.content === 'draft'
        ? (draft?.content ?? (column.base === null ? EMPTY_CONTENT : undefined))
        : column.content
    const baseContent = base?.content
    const content = own ?? baseContent
    const target = column.target ?? (content && listedTarget(content, connections))
    const isDeleted = base === null
    const sent = content && contentWithTarget(content, column.target)
    return {
      column,
      name: nameOf(column, sent, baseContent),
      content: sent,
      ownContent: content,
      target: {
        provider: target?.provider ?? content?.provider ?? undefined,
        model: target?.model ?? content?.model ?? undefined,
      },
      baseContent,
      edits: sent && baseContent ? editsOf(baseContent, sent) : [],
      isDeleted,
      query: column.base === null || base !== undefined ? undefined : contents,
    }
  })
  useForgottenDraft(columns, draft, rows.data, (next) => save({ columns: next }))

  const changeColumn = (id: string, changes: Partial<Column>) =>
    save({ columns: columns.map((column) => (column.id === id ? { ...column, ...changes } : column)) })
  /** What was written in the column. */
  const edit = ({ column, content: before }: Variant, content: PromptContent) => {
    // A connection that is chosen in the text replaces the one that was chosen for trying.
    const isSameModel = before?.provider === content.provider && before?.model === content.model
    const target = isSameModel ? column.target : undefined
    if (column.content === 'draft') {
      setDraft({ base: column.base, seen: draft?.seen ?? newest ?? 0, content })
      if (target !== column.target) changeColumn(column.id, { target })
    } else changeColumn(column.id, { content, target })
  }
  const saved = (rows.data ?? []).map(({ number }) => ({ value: String(number), label: `v${number}` }))
  const hasOpenDraft = draft !== undefined && !columns.some(({ content }) => content === 'draft')
  const choices = hasOpenDraft ? [{ value: 'draft', label: 'Your draft' }, ...saved] : saved
  const last = variants.at(-1)
  return {
    isOpen: seen !== undefined,
    /** All texts are there, or will not come. */
    isRead: seen !== undefined && (bases.length === 0 || !contents.isPending || contents.isFetched),
    versions: rows,
    labels: labels.data?.data ?? [],
    newest,
    record,
    save,
    variants,
    isKept: isRecordKept && isDraftKept,
    changeColumn,
    edit,
    /** Puts other columns in the place of these, also without the changes of one. Undo brings them back. */
    replaceColumns: (next: Column[], undoable: string | undefined) => {
      const lost = columns.find(
        ({ id, content }) => content === 'draft' && next.some((one) => one.id === id && !one.content),
      )
      save({ columns: next })
      if (lost) setDraft(undefined)
      if (undoable === undefined) return
      showUndoToast(undoable, () => {
        if (lost && draft) setDraft(draft)
        save({ columns })
      })
    },
    /** The column shows what was saved from then on. */
    showSaved: ({ column }: Variant, version: number) => {
      if (column.content === 'draft') setDraft(undefined)
      changeColumn(column.id, { base: version, content: undefined, target: keptTarget(column, connections) })
    },
    draftBase: draft?.base ?? null,
    choices,
    /** One more column: the draft, or a version that is not there yet, or else a copy of the last one to change. */
    add: () => {
      const isThere = (number: number) => columns.some(({ base, content }) => base === number && content === undefined)
      const other = rows.data?.find(({ number }) => !isThere(number))?.number
      const copy = last && { ...last.column, content: last.column.content === undefined ? undefined : last.ownContent }
      const added = hasOpenDraft && draft ? draftColumn(draft.base) : other === undefined ? copy : savedColumn(other)
      if (added) save({ columns: [...columns, withId(added, columns)] })
    },
  }
}

export type Columns = ReturnType<typeof useColumns>

/** The draft was saved or discarded on its own page, or in another tab: its column shows the version below it. */
function useForgottenDraft(
  columns: readonly Column[],
  draft: PromptDraft | undefined,
  versions: readonly PromptVersionRow[] | undefined,
  save: (columns: Column[]) => void,
): void {
  const isGone = draft === undefined && columns.some(({ content, base }) => content === 'draft' && base !== null)
  useEffect(() => {
    if (isGone && versions)
      save(columns.map((column) => (column.content === 'draft' ? { ...column, content: undefined } : column)))
  })
}

/** A prompt that leaves the connection to the code is tried with the one that lists its model. */
function listedTarget(content: PromptContent, connections: readonly Connection[]): Target | undefined {
  if (content.provider !== null) return undefined
  if (content.model === null) {
    const [first] = connections
    const model = first?.models[0]
    return first && model !== undefined ? { provider: first.name, model } : undefined
  }
  const { model } = content
  const found = connections.find(({ models }) => models.includes(model))
  return found && { provider: found.name, model }
}

/** The chosen model stays chosen if the saved version leaves it to the code. */
function keptTarget({ target, content }: Column, connections: readonly Connection[]): Target | undefined {
  if (!target || !content || content === 'draft' || content.provider !== null) return undefined
  return connections.some(({ name }) => name === target.provider) ? target : undefined
}

function nameOf(
  { base, content: own }: Column,
  sent: PromptContent | undefined,
  before: PromptContent | undefined,
): string {
  if (base === null) return 'Draft'
  const isChanged = own !== undefined || (sent && before && editsOf(before, sent).length > 0)
  return isChanged ? `Draft on v${base}` : `v${base}`
}
