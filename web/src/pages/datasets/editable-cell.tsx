import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ItemRow } from '../../api/generated/api.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { findJsonError } from './find-json-error.ts'
import type { ItemEditing, ItemField } from './item-editing.ts'

interface EditableCellProps {
  row: ItemRow
  field: ItemField
  title: string
  editing: ItemEditing
}

/** A text of an item in its row. The table opens the editor above it, by a double click or by Enter. */
export function EditableCell({ row, field, title, editing }: EditableCellProps) {
  const { open, onEdit } = editing
  const cell = useRef<HTMLSpanElement>(null)
  const isOpen = open?.itemId === row.id && open.field === field
  const text = row[field]?.text
  return (
    <span
      ref={cell}
      data-item={row.id}
      data-field={field}
      className={`block truncate ${field === 'input' ? '' : 'text-soft'} ${field === 'metadata' ? 'font-mono text-code' : ''}`}
    >
      {text ? text : <span className="text-faint">{field === 'input' ? 'no input yet' : 'none'}</span>}
      {isOpen && onEdit && (
        <CellEditor
          anchor={cell}
          label={`${title} of item ${row.number}`}
          field={field}
          readText={() => editing.readText(row, field)}
          onSave={(changed) => editing.onSave(row, field, changed)}
          onLeave={() => onEdit(row.id, undefined)}
          onNext={() => onEdit(row.id, editing.fields[editing.fields.indexOf(field) + 1])}
        />
      )}
    </span>
  )
}

interface CellEditorProps {
  anchor: React.RefObject<HTMLElement | null>
  label: string
  field: ItemField
  readText: () => Promise<string>
  onSave: (text: string) => void
  onLeave: () => void
  /** To the next text of the item. */
  onNext: () => void
}

/** Enter saves, Shift and Enter start a line, Escape leaves without a change, Tab saves and goes on. Leaving by a click saves. */
function CellEditor({ anchor, label, field, readText, onSave, onLeave, onNext }: CellEditorProps) {
  const panel = useRef<HTMLDivElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const [before, setBefore] = useState<string>()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  useLayoutEffect(() => {
    const [element, box] = [panel.current, anchor.current?.closest('td')?.getBoundingClientRect()]
    if (!element || !box) return
    // The top layer, because cells cut what is larger than they are.
    element.showPopover?.()
    // Until the text is there, keys must not be taken for shortcuts of the page.
    element.focus()
    const width = Math.min(Math.max(box.width, 320), window.innerWidth - 16)
    element.style.width = `${width}px`
    element.style.left = `${Math.max(8, Math.min(box.left, window.innerWidth - width - 8))}px`
    element.style.top = `${Math.max(8, Math.min(box.top, window.innerHeight - 190))}px`
  }, [anchor])
  const load = useRef(readText)
  useEffect(() => {
    let isClosed = false
    void load.current().then(
      (whole) => {
        if (isClosed) return
        setBefore(whole)
        setText(whole)
      },
      () => setProblem('The text could not be loaded. Press Escape and try again.'),
    )
    return () => {
      isClosed = true
    }
  }, [])
  useEffect(() => {
    if (before !== undefined) area.current?.focus()
  }, [before])
  // Leaving takes the focus away, which must not save again.
  const isLeft = useRef(false)
  const leave = (then: () => void) => {
    isLeft.current = true
    then()
  }
  const finish = (then: () => void) => {
    if (isLeft.current) return undefined
    if (before === undefined || text === before) return leave(then)
    const found = field === 'metadata' ? findJsonError(text) : undefined
    setProblem(found)
    if (found !== undefined) return undefined
    onSave(text)
    return leave(then)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape') leave(onLeave)
    else if (event.key === 'Enter' && !event.shiftKey) finish(onLeave)
    else if (event.key === 'Tab' && !event.shiftKey) finish(onNext)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={panel}
      popover="manual"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="fixed inset-auto m-0 rounded-control border border-edge bg-raised p-1.5 whitespace-normal text-ink shadow-float"
    >
      {before === undefined && !problem ? (
        <Spinner />
      ) : (
        <textarea
          ref={area}
          aria-label={label}
          aria-invalid={problem !== undefined || undefined}
          rows={5}
          value={text}
          spellCheck={field !== 'metadata'}
          onChange={(event) => {
            setText(event.target.value)
            setProblem(undefined)
          }}
          onBlur={() => finish(onLeave)}
          className={`block w-full resize-y rounded-control bg-surface px-2 py-1.5 ${field === 'metadata' ? 'font-mono text-code' : 'text-data'}`}
        />
      )}
      <p
        role={problem ? 'alert' : undefined}
        className={`px-2 pt-1 text-meta ${problem ? 'text-danger' : 'text-faint'}`}
      >
        {problem ?? 'Enter saves, Esc leaves, Tab goes on, Shift Enter starts a line.'}
      </p>
    </div>
  )
}
