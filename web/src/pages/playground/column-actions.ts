import type { ColumnActions } from './column-header.tsx'
import { type NewColumn, withId } from './playground-columns.ts'
import type { Columns, Variant } from './use-columns.ts'

interface ActionDeps {
  columns: Columns
  open: (view: 'edit' | 'changes' | 'save') => void
  run: () => void
  /** Removes the answers of the column. */
  forget: () => void
}

/** What the header of a column does. What was written and would be lost can be brought back. */
export function columnActions(variant: Variant, { columns, open, run, forget }: ActionDeps): ColumnActions {
  const { column, ownContent, name } = variant
  const all = columns.record.columns
  const replace = (changes: Partial<typeof column>, undoable: string | undefined) =>
    columns.replaceColumns(
      all.map((one) => (one.id === column.id ? { ...one, ...changes } : one)),
      undoable,
    )
  const isWritten = column.content !== undefined && column.content !== 'draft'
  const lost = isWritten ? `Discarded the changes of v${column.base}.` : undefined
  return {
    choose: (value) => {
      if (value === 'own') return
      const chosen: NewColumn =
        value === 'draft'
          ? { base: columns.draftBase, content: 'draft', target: undefined }
          : { base: Number(value), content: undefined, target: column.target }
      const others = all.filter(({ id }) => id !== column.id)
      const next = withId(chosen, others)
      columns.replaceColumns(
        all.map((one) => (one.id === column.id ? next : one)),
        lost,
      )
    },
    target: (target) => columns.changeColumn(column.id, { target }),
    open,
    run,
    copy: () =>
      columns.replaceColumns(
        // A copy of the draft is a text of its own: only one column is the draft.
        [...all, withId({ ...column, content: column.content === undefined ? undefined : ownContent }, all)],
        undefined,
      ),
    discard: () => replace({ content: undefined, target: undefined }, `Discarded the changes of v${column.base}.`),
    remove: () => {
      columns.replaceColumns(
        all.filter(({ id }) => id !== column.id),
        isWritten ? `Removed ${name}.` : undefined,
      )
      if (!isWritten) forget()
    },
    save: () => open('save'),
  }
}
