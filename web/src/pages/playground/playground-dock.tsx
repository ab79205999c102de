import { Minus, Plus } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { allTokens, progressOf, spentText, tokensText } from './answer-sums.ts'
import { COLUMNS_MAX } from './playground-record.ts'
import { type PlaygroundSearch, ROWS_MAX } from './playground-search.ts'
import type { Cell } from './tries.ts'

interface PlaygroundDockProps {
  cells: readonly (Cell | undefined)[]
  search: PlaygroundSearch
  rowCount: number
  /** Items that there are. */
  total: number
  columnCount: number
  onColumn: () => void
  onRow: () => void
  onChange: (changes: Partial<PlaygroundSearch>) => void
}

/** What all answers cost, and more columns and rows. */
export function PlaygroundDock(props: PlaygroundDockProps) {
  const { cells, search, rowCount, total, columnCount, onColumn, onRow, onChange } = props
  const { answered, others } = progressOf(cells)
  const tokens = allTokens(cells)
  const isItems = search.rows === 'items'
  const max = isItems ? Math.min(ROWS_MAX, total) : ROWS_MAX
  const noRow =
    rowCount < max ? undefined : isItems && total < ROWS_MAX ? 'These are all items.' : `At most ${ROWS_MAX} rows.`
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-data">
      {cells.some(Boolean) && (
        <p className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
          <span>
            <b className="font-semibold">
              {answered} of {cells.length}
            </b>{' '}
            answered
          </span>
          {others && <span className="text-soft">{others}</span>}
          <span className="font-semibold">{spentText(cells)}</span>
          {tokens !== null && <span className="text-faint">{tokensText(tokens)}</span>}
        </p>
      )}
      <div className="flex flex-wrap gap-2 sm:ml-auto max-sm:w-full max-sm:[&>*]:flex-1">
        <Button
          size="small"
          disabledReason={columnCount >= COLUMNS_MAX ? `At most ${COLUMNS_MAX} columns.` : undefined}
          onClick={onColumn}
        >
          <Plus aria-hidden className="size-3.5" />
          Column
          <span className="font-normal text-faint tabular-nums">
            {columnCount} of {COLUMNS_MAX}
          </span>
        </Button>
        {isItems && rowCount > 1 && (
          <Button size="small" aria-label="Remove an item" onClick={() => onChange({ items: rowCount - 1 })}>
            <Minus aria-hidden className="size-3.5" />
            Item
          </Button>
        )}
        <Button
          size="small"
          aria-label={isItems ? 'Add an item' : 'Add a row'}
          disabledReason={noRow}
          onClick={isItems ? () => onChange({ items: rowCount + 1 }) : onRow}
        >
          <Plus aria-hidden className="size-3.5" />
          {isItems ? 'Item' : 'Row'}
        </Button>
      </div>
    </div>
  )
}
