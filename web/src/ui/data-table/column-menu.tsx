import { ChevronDown, ChevronUp, Columns3 } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from '../button.tsx'
import { Checkbox } from '../checkbox.tsx'
import { Popover } from '../popover.tsx'

interface ColumnMenuProps {
  /** All columns; the first is pinned and not listed. */
  columns: { id: string; title: string }[]
  columnIds: string[]
  onChange: (columnIds: string[]) => void
  /** Other choices about the table, below the columns. */
  footer?: ReactNode
}

/** Shows, hides and orders columns. Not in a portal: it belongs to the landmark of its button. */
export function ColumnMenu({ columns, columnIds, onChange, footer }: ColumnMenuProps) {
  const menuId = useId()
  const listed = columns.slice(1)
  const shown = columnIds.filter((id) => listed.some((column) => column.id === id))
  const hidden = listed.filter(({ id }) => !columnIds.includes(id))
  const ordered = [...shown.flatMap((id) => listed.find((column) => column.id === id) ?? []), ...hidden]
  const toggle = (id: string) => onChange(shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id])
  return (
    <Popover
      label="Columns"
      trigger={
        <Button size="small">
          <Columns3 aria-hidden className="size-3.5 text-faint" />
          Columns
        </Button>
      }
    >
      {() => (
        <>
          <ul className="max-h-80 overflow-y-auto">
            {ordered.map(({ id, title }) => {
              const position = shown.indexOf(id)
              return (
                <li key={id} className="flex items-center gap-1 rounded-control pr-1 text-data hover:bg-hover">
                  <label
                    htmlFor={`${menuId}-${id}`}
                    className="flex min-h-8 flex-1 items-center gap-2.5 px-2.5 touch:min-h-11"
                  >
                    <Checkbox
                      id={`${menuId}-${id}`}
                      state={position === -1 ? 'off' : 'on'}
                      onChange={() => toggle(id)}
                    />
                    {title}
                  </label>
                  <MoveButton
                    label={`Move ${title} up`}
                    icon={ChevronUp}
                    isOff={position < 1}
                    onClick={() => onChange(move(shown, position, -1))}
                  />
                  <MoveButton
                    label={`Move ${title} down`}
                    icon={ChevronDown}
                    isOff={position === -1 || position === shown.length - 1}
                    onClick={() => onChange(move(shown, position, 1))}
                  />
                </li>
              )
            })}
          </ul>
          {footer && <div className="mt-1 border-t border-line px-2.5 pt-2 pb-1.5">{footer}</div>}
        </>
      )}
    </Popover>
  )
}

interface MoveButtonProps {
  label: string
  icon: typeof ChevronUp
  isOff: boolean
  onClick: () => void
}

function MoveButton({ label, icon: Icon, isOff, onClick }: MoveButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={isOff || undefined}
      onClick={() => isOff || onClick()}
      className="grid size-6 place-items-center rounded-sm text-faint hover:text-ink aria-disabled:opacity-30 touch:size-11"
    >
      <Icon aria-hidden className="size-4" />
    </button>
  )
}

function move(ids: string[], from: number, step: 1 | -1): string[] {
  const moved = ids[from]
  const other = ids[from + step]
  if (moved === undefined || other === undefined) return ids
  return ids.map((id) => (id === moved ? other : id === other ? moved : id))
}
