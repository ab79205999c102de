import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'
import { useRowWindow } from '../../ui/data-table/use-row-window.ts'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { changeOf, filterLooks, kindOf, type Row, rowKey, titleOf } from './row-model.ts'

const ROW_HEIGHT = 56
/** The next page is read when so many rows are left. */
const ROWS_AHEAD = 20

const stepsOfKeys: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

interface ItemListProps {
  rows: Row[]
  /** How many rows the filter selects. */
  total: number
  activeKey: string | undefined
  metric: { name: string; higherIsBetter: boolean } | undefined
  list: RefObject<HTMLDivElement | null>
  onSelect: (key: string) => void
  onOpen: () => void
  onNeedMore: (() => void) | undefined
}

/** The items of a filter. Only those in view are in the document. */
export function ItemList({ rows, total, activeKey, metric, list, onSelect, onOpen, onNeedMore }: ItemListProps) {
  const rowsRef = useRef<HTMLDivElement>(null)
  const view = useRowWindow({
    scroll: 'own',
    count: rows.length,
    rowHeight: ROW_HEIGHT,
    scroller: list,
    list: rowsRef,
    coveredTop: 0,
  })
  const active = rows.findIndex((row) => rowKey(row) === activeKey)
  const last = view.indexes.at(-1) ?? 0
  const isNearEnd = Math.max(last, active) > rows.length - ROWS_AHEAD
  useEffect(() => {
    if (isNearEnd) onNeedMore?.()
  }, [isNearEnd, onNeedMore])
  const { scrollTo } = view
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is a new one in each rendering
  useEffect(() => {
    if (active >= 0) scrollTo(active)
  }, [active])
  const step = (by: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, active + by))]
    if (next) onSelect(rowKey(next))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = stepsOfKeys[event.key]
    if (by === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (by === undefined) onOpen()
    else step(by)
  }
  return (
    <div className="flex min-h-0 flex-col">
      <div
        ref={list}
        role="listbox"
        aria-label="Items"
        aria-activedescendant={active >= 0 ? `row-${active}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="h-[560px] overflow-y-auto overscroll-contain focus-visible:-outline-offset-2 max-lg:h-72"
      >
        <div ref={rowsRef} role="presentation" style={{ paddingTop: view.before, paddingBottom: view.after }}>
          {view.indexes.map((index) => {
            const row = rows[index]
            if (!row) return null
            const key = rowKey(row)
            return (
              <ItemRow
                key={key}
                id={`row-${index}`}
                row={row}
                position={index + 1}
                total={total}
                metric={metric}
                isActive={key === activeKey}
                onSelect={() => onSelect(key)}
              />
            )
          })}
        </div>
      </div>
      <p className="border-t border-line px-4 py-2 text-meta text-soft tabular-nums">
        {rows.length < total
          ? `${formatCount(rows.length)} of ${formatCount(total)} loaded · scroll for more`
          : `${formatCount(total)} shown`}
      </p>
    </div>
  )
}

interface ItemRowProps {
  id: string
  row: Row
  position: number
  total: number
  metric: ItemListProps['metric']
  isActive: boolean
  onSelect: () => void
}

function ItemRow({ id, row, position, total, metric, isActive, onSelect }: ItemRowProps) {
  const kind = kindOf(row, metric?.name, metric?.higherIsBetter ?? true)
  const { mark, word, className } = filterLooks[kind]
  const other = row.scores.find(({ name, delta }) => name !== metric?.name && delta !== null && delta !== 0)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the active option
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      aria-posinset={position}
      aria-setsize={total}
      data-row-id={rowKey(row)}
      onClick={onSelect}
      style={{ height: ROW_HEIGHT }}
      className={`flex cursor-pointer flex-col justify-center gap-0.5 border-b border-line px-4 ${isActive ? 'bg-selected shadow-[inset_3px_0_0_var(--color-gold)]' : 'hover:bg-hover'}`}
    >
      <span className="truncate text-data font-medium">
        <bdi>{titleOf(row).slice(0, 200)}</bdi>
      </span>
      <span className="flex items-baseline gap-2 text-meta whitespace-nowrap text-soft">
        <span className={`font-semibold ${className}`}>
          <span aria-hidden>{mark}</span> {metric ? changeOf(row, metric.name) || word : word}
        </span>
        {other && (
          <span className="min-w-0 truncate">
            {metricTitle(other.name)} {changeOf(row, other.name)}
          </span>
        )}
        {row.texts?.number && <span className="ml-auto tabular-nums">#{formatCount(row.texts.number)}</span>}
      </span>
    </div>
  )
}
