import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'
import { isControl, isTextEntry } from './is-control.ts'
import type { DataTableProps } from './table-props.ts'
import type { TableModel } from './use-table-model.ts'

type ActiveRowOptions<Row> = DataTableProps<Row> & {
  model: TableModel<Row>
  container: RefObject<HTMLElement | null>
  scrollTo: (index: number) => void
}

/**
 * Keys while the focus is in the table: j and k or the arrows move, x selects (with shift a range), Enter opens. A page
 * may bind the same keys globally with `neighborId`. The active row is kept in view and has the focus if the table has it.
 */
export function useActiveRow<Row>(options: ActiveRowOptions<Row>) {
  const { model, activeId, container, onActiveChange, onOpen } = options
  const shownId = useRef<string>(undefined)
  const focusedId = useRef<string>(undefined)
  const index = activeId === undefined ? -1 : model.indexOf(activeId)

  useEffect(() => {
    if (activeId === undefined || index === -1 || shownId.current === activeId) return
    shownId.current = activeId
    options.scrollTo(index)
    if (container.current?.contains(document.activeElement)) focusedId.current = activeId
  })

  // A row that was scrolled into view is rendered one pass later.
  useEffect(() => {
    const id = focusedId.current
    if (id === undefined) return
    const row = container.current?.querySelector(`[data-row-id="${CSS.escape(id)}"]`)
    if (!(row instanceof HTMLElement)) return
    focusedId.current = undefined
    row.focus({ preventScroll: true })
  })

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTextEntry(event.target)) return
    const row = model.rows[index]
    const step = steps.get(event.key)
    if (step) {
      const next = model.rows[index === -1 ? 0 : index + step]
      if (next) onActiveChange?.(next.id)
    } else if (event.key.toLowerCase() === 'x' && row && options.onSelectionChange) {
      model.toggle(row.id, event.shiftKey)
    } else if (event.key === 'Enter' && row && !isControl(event.target)) {
      onOpen?.(row.id)
    } else return
    event.preventDefault()
  }

  return { onKeyDown, tabStopId: index === -1 ? undefined : activeId }
}

const steps = new Map<string, 1 | -1>([
  ['j', 1],
  ['ArrowDown', 1],
  ['k', -1],
  ['ArrowUp', -1],
])
