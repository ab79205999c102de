import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { classNames } from '../class-names.ts'
import { rowDensity } from '../row-density.ts'
import { GridHeader } from './grid-header.tsx'
import { GridRow } from './grid-row.tsx'
import { TableEnd } from './table-end.tsx'
import type { DataTableProps } from './table-props.ts'
import { checkboxWidth, rowHeights } from './table-sizes.ts'
import { useActiveRow } from './use-active-row.ts'
import { useRowWindow } from './use-row-window.ts'
import type { TableModel } from './use-table-model.ts'

/** The rows as a real table, with a header that stays in view. */
export function RowGrid<Row>(props: DataTableProps<Row> & { model: TableModel<Row> }) {
  const { label, model, rows, density: ownDensity = 'compact', scroll = 'own', onSelectionChange } = props
  const scroller = useRef<HTMLElement>(null)
  const head = useRef<HTMLTableSectionElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const [headHeight, setHeadHeight] = useState(0)
  useLayoutEffect(() => {
    const observed = head.current
    if (!observed) return
    const measure = () => setHeadHeight(observed.offsetHeight)
    measure()
    // Notes under titles arrive later and make the header taller.
    const observer = new ResizeObserver(measure)
    observer.observe(observed)
    return () => observer.disconnect()
  }, [])
  const chosenDensity = rowDensity.use()
  const height = rowHeights[chosenDensity === 'automatic' ? ownDensity : chosenDensity]
  const rowWindow = useRowWindow({
    scroll,
    count: rows.length,
    rowHeight: height,
    scroller,
    list: body,
    coveredTop: headHeight,
  })
  const keys = useActiveRow({ ...props, container: scroller, scrollTo: rowWindow.scrollTo })
  const isLoading = rows.length === 0
  const leading = onSelectionChange ? checkboxWidth : 0
  const width = model.columns.reduce((sum, column) => sum + column.width, leading)
  const isTooNarrow = useIsNarrowerThan(scroller, width)
  const columnCount = model.columns.length + (onSelectionChange ? 1 : 0)
  return (
    <section
      ref={scroller}
      aria-label={label}
      aria-busy={isLoading || undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      className={classNames(
        'relative bg-surface focus-visible:-outline-offset-2',
        scroll === 'own' && 'h-full overflow-auto overscroll-contain',
        // A section that scrolls sideways keeps the header from sticking to the page, so it scrolls only if it must.
        scroll === 'page' && isTooNarrow && 'overflow-x-auto',
      )}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are selected and moved between by keys
        role="grid"
        aria-label={label}
        aria-rowcount={(props.totalCount ?? (props.hasMore ? -2 : rows.length)) + 1}
        aria-multiselectable={onSelectionChange ? true : undefined}
        onKeyDown={keys.onKeyDown}
        className="w-full table-fixed border-separate border-spacing-0 text-left text-data"
        style={{ minWidth: width }}
      >
        <colgroup>
          {onSelectionChange && <col style={{ width: checkboxWidth }} />}
          {model.columns.map((column) => (
            <col key={column.id} style={column.grows ? {} : { width: column.width }} />
          ))}
        </colgroup>
        <GridHeader ref={head} {...props} />
        <tbody ref={body}>
          {isLoading && <SkeletonRows columnCount={columnCount} rowHeight={height} />}
          <Space height={rowWindow.before} columnCount={columnCount} />
          {rowWindow.indexes.map((index) => {
            const row = model.rows[index]
            return (
              row && (
                <GridRow
                  key={row.id}
                  row={row}
                  index={index}
                  columns={model.columns}
                  height={height}
                  isSelected={model.isSelected(row.id)}
                  isSelectable={onSelectionChange !== undefined}
                  isActive={row.id === props.activeId}
                  isTabStop={row.id === (keys.tabStopId ?? model.rows[rowWindow.indexes[0] ?? 0]?.id)}
                  onActivate={props.onActiveChange}
                  onToggle={model.toggle}
                />
              )
            )
          })}
          <Space height={rowWindow.after} columnCount={columnCount} />
        </tbody>
      </table>
      <TableEnd {...props} lastIndex={rowWindow.indexes.at(-1)} />
    </section>
  )
}

/** Takes the room of rows that are not rendered, so that the scrollbar is right. */
function Space({ height, columnCount }: { height: number; columnCount: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={columnCount} style={{ height, padding: 0 }} />
    </tr>
  )
}

interface SkeletonRowsProps {
  columnCount: number
  rowHeight: number
}

/** Gray bars while the first page loads; they appear after 200 ms. */
function SkeletonRows({ columnCount, rowHeight }: SkeletonRowsProps) {
  return (
    <>
      <tr>
        <td colSpan={columnCount} className="p-0">
          <span role="status" className="sr-only">
            Loading…
          </span>
        </td>
      </tr>
      {widths.map((width) => (
        <tr key={width} aria-hidden className="animate-late">
          <td colSpan={columnCount} className="border-b border-line px-4" style={{ height: rowHeight }}>
            <span className="block h-3 animate-pulse rounded-sm bg-hover" style={{ width: `${width}%` }} />
          </td>
        </tr>
      ))}
    </>
  )
}

const widths = [92, 78, 86, 70, 95, 81, 74, 88]

function useIsNarrowerThan(element: RefObject<HTMLElement | null>, width: number): boolean {
  const [isNarrower, setIsNarrower] = useState(false)
  useLayoutEffect(() => {
    const observed = element.current
    if (!observed) return
    const observer = new ResizeObserver(() => setIsNarrower(observed.clientWidth < width))
    observer.observe(observed)
    return () => observer.disconnect()
  }, [element, width])
  return isNarrower
}
