import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Database } from 'lucide-react'
import { type MouseEvent, useMemo, useRef, useState } from 'react'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import type { ItemRow, ItemSelection, RunColumn } from '../../api/generated/api.ts'
import { type ItemChange, readItem } from '../../api/item-rows-query.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { Select } from '../../ui/select-field.tsx'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { QueryError } from '../shell/query-error.tsx'
import type { DatasetSearch } from './dataset-search.ts'
import { ItemActions } from './item-actions.tsx'
import { buildItemColumns, ItemCard, MarkLegend } from './item-columns.tsx'
import type { ItemEditing, ItemField } from './item-editing.ts'
import { changeOf, textOf } from './use-item-edits.ts'

interface ItemTableProps {
  datasetKey: DatasetKey
  list: UseInfiniteQueryResult<{ rows: ItemRow[]; runs: RunColumn[]; total: number }>
  where: ItemSelection
  sort: NonNullable<DatasetSearch['sort']>
  activeId: string | undefined
  canEdit: boolean
  onSave: (edit: { itemId: string; number: number; change: ItemChange }) => void
  onSortChange: (sort: DatasetSearch['sort']) => void
  onActiveChange: (id: string) => void
  onShowAll: () => void
}

const rowId = ({ id }: ItemRow) => id
const NOTHING: ReadonlySet<string> = new Set()
const NO_RUNS: RunColumn[] = []

export function ItemTable({ datasetKey, list, where, sort, activeId, canEdit, ...props }: ItemTableProps) {
  const { onSave, onSortChange, onActiveChange, onShowAll } = props
  const [selection, setSelection] = useState(NOTHING)
  const [open, setOpen] = useState<ItemEditing['open']>()
  const rows = list.data?.rows ?? []
  const runs = list.data?.runs ?? NO_RUNS
  const total = list.data?.total ?? 0
  const columnIds = useColumnIds(runs, rows, activeId !== undefined)
  const hasMetadata = columnIds.includes('metadata')
  const columns = useMemo(() => {
    const editing: ItemEditing = {
      fields: hasMetadata ? ['input', 'expected', 'metadata'] : ['input', 'expected'],
      open,
      onEdit: canEdit
        ? (itemId, field) => {
            setOpen(field && { itemId, field })
            if (field === undefined) focusRow(itemId)
          }
        : undefined,
      onSave: (row, field, text) => onSave({ itemId: row.id, number: row.number, change: changeOf(field, text) }),
      onSplit: (row, split) => onSave({ itemId: row.id, number: row.number, change: { split } }),
      readText: async (row, field) => textOf(await readItem(datasetKey, row.id), field),
    }
    return buildItemColumns(runs, editing)
  }, [runs, open, canEdit, hasMetadata, onSave, datasetKey])
  const edit = (itemId: string, field: ItemField = 'input') => canEdit && setOpen({ itemId, field })
  // The first click of a double click opens the panel, and the columns move away from the pointer.
  const pressed = useRef<ItemEditing['open']>(undefined)
  const onMouseDown = ({ detail, target }: MouseEvent) => {
    if (detail === 1) pressed.current = cellAt(target)
  }
  const onDoubleClick = ({ target }: MouseEvent) => {
    const cell = pressed.current ?? cellAt(target)
    pressed.current = undefined
    if (cell) edit(cell.itemId, cell.field)
  }
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-80">
          <MarkLegend runs={runs} />
        </div>
        <Select aria-label="Order" value={sort} onChange={(event) => onSortChange(readSort(event.target.value))}>
          <option value="turned">turned to fail first</option>
          <option value="newest">newest first</option>
          <option value="oldest">oldest first</option>
        </Select>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keyboard edits by Enter on the row */}
      <div
        className="overflow-clip rounded-card border border-line bg-surface shadow-lift"
        onMouseDown={onMouseDown}
        onDoubleClick={onDoubleClick}
      >
        <DataTable
          label="Items"
          columns={columns}
          columnIds={columnIds}
          rows={rows}
          rowId={rowId}
          totalCount={total}
          {...(canEdit && { selection, onSelectionChange: setSelection })}
          activeId={activeId}
          onActiveChange={onActiveChange}
          onOpen={(id) => edit(id)}
          density="normal"
          scroll="page"
          card={(row) => <ItemCard row={row} runs={runs} onOpen={() => onActiveChange(row.id)} />}
          isLoading={list.isPending}
          error={list.error ? <QueryError query={list} /> : undefined}
          empty={
            <EmptyState
              icon={Database}
              title="No item matches"
              text="Change the search and the filters, or show all items."
              action={<Button onClick={onShowAll}>Show all items</Button>}
            />
          }
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          onLoadMore={() => void list.fetchNextPage()}
          moreError={list.isFetchNextPageError ? <QueryError query={list} /> : undefined}
        />
        <ItemActions
          datasetKey={datasetKey}
          selection={selection}
          where={where}
          loaded={rows.length}
          total={total}
          onSelect={setSelection}
        />
      </div>
      {rows.length > 0 && (
        <p className="mt-2 text-meta text-soft">
          {formatCount(rows.length)} of {formatCount(total)} loaded
          {canEdit && '. Enter or a double click edits, Esc leaves.'}
        </p>
      )}
    </div>
  )
}

/** What fits: with the panel open, only the two newest runs; metadata and groups on wide screens. */
function useColumnIds(runs: readonly RunColumn[], rows: readonly ItemRow[], isPeekOpen: boolean): string[] {
  const isWide = useMediaQuery('(min-width: 1700px)')
  const isMedium = useMediaQuery('(max-width: 1279px)')
  const hasGroups = rows.some(({ group }) => group !== null)
  const shown = isPeekOpen ? (isWide ? 3 : 1) : isMedium ? 2 : isWide ? 5 : 3
  const isRoomy = !isPeekOpen && !isMedium
  return [
    'number',
    'input',
    'expected',
    ...(isWide && !isPeekOpen ? ['metadata'] : []),
    ...(isPeekOpen && !isWide ? [] : ['split']),
    ...(isRoomy && hasGroups ? ['group'] : []),
    ...(isRoomy ? ['source'] : []),
    ...runs.slice(-shown).map(({ run }) => `run.${run.id}`),
  ]
}

function readSort(text: string): DatasetSearch['sort'] {
  return (['turned', 'newest', 'oldest'] as const).find((sort) => sort === text)
}

const fields: readonly ItemField[] = ['input', 'expected', 'metadata']

/** The text of an item in the cell, also next to the letters. */
function cellAt(target: EventTarget): ItemEditing['open'] {
  const cell = target instanceof Element ? target.closest('td, [role=gridcell]') : null
  const text = cell?.querySelector<HTMLElement>('[data-item]')
  const field = fields.find((one) => one === text?.dataset['field'])
  const itemId = text?.dataset['item']
  return field && itemId !== undefined ? { itemId, field } : undefined
}

/** The focus must not be lost with the editor. */
function focusRow(itemId: string): void {
  const row = document.querySelector(`[data-row-id="${CSS.escape(itemId)}"]`)
  if (row instanceof HTMLElement) row.focus({ preventScroll: true })
}
