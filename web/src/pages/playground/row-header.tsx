import { X } from 'lucide-react'
import { useId } from 'react'
import { controlClass } from '../../ui/field.tsx'
import { countOf } from '../../ui/format-number.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { TypedValues } from './playground-record.ts'
import { itemValues, type Names, questionOf, readMessages, typedText } from './playground-values.ts'
import type { PlaygroundRow } from './use-rows.ts'

interface RowHeaderProps {
  row: PlaygroundRow
  names: Names
  shared: TypedValues
  /** The first empty field of a page with nothing else to do. */
  isFocused: boolean
  onChange: (values: TypedValues) => void
  onRemove: (() => void) | undefined
}

/** What all columns get in this row: the fields of the variables, or an item with what is expected. */
export function RowHeader(props: RowHeaderProps) {
  const { row, onRemove } = props
  return (
    <th
      scope="row"
      className="flex min-w-0 flex-col gap-2 border-b border-line px-3.5 pt-3 pb-3.5 text-left font-normal sm:sticky sm:left-0 sm:z-10 sm:bg-surface max-sm:border-0 max-sm:px-0 max-sm:pt-4"
    >
      <span className="flex min-h-5 items-center justify-between gap-2 text-meta text-faint">
        {row.name}
        <span className="flex items-center gap-1">
          {row.item?.split}
          {onRemove && (
            <IconButton label={`Remove ${row.name.toLowerCase()}`} size="small-icon" onClick={onRemove}>
              <X aria-hidden className="size-3.5" />
            </IconButton>
          )}
        </span>
      </span>
      {row.item ? <ItemTexts {...props} item={row.item} /> : <Fields {...props} />}
    </th>
  )
}

function ItemTexts({ item, names, shared }: RowHeaderProps & { item: NonNullable<PlaygroundRow['item']> }) {
  const values = itemValues(item, names, shared)
  return (
    <>
      <span className="line-clamp-8 font-display text-reading font-semibold wrap-anywhere">
        {questionOf(values, names, item.input) || 'Without input'}
      </span>
      {item.expected !== null && (
        <span className="border-l-2 border-line pl-2.5 text-data text-soft">
          <span className="block text-meta text-faint">Expected</span>
          <span className="line-clamp-8 wrap-anywhere whitespace-pre-line">{item.expected}</span>
        </span>
      )}
      <span className="text-meta text-faint">{valuesText(values, names)}</span>
    </>
  )
}

/** "3 variables · history 2 messages". */
function valuesText(values: Record<string, unknown>, { variables, placeholders }: Names): string {
  const given = variables.filter((name) => Object.hasOwn(values, name))
  const lists = placeholders.map((name) => {
    const value = values[name]
    return `${name} ${Array.isArray(value) && value.length > 0 ? countOf(value.length, 'message') : 'empty'}`
  })
  return [countOf(given.length, 'variable'), ...lists].join(' · ')
}

function Fields({ row, names, isFocused, onChange }: RowHeaderProps) {
  const values = row.hand?.values ?? {}
  const id = useId()
  const all = [...names.variables, ...names.placeholders]
  const firstEmpty = names.variables.find((name) => typedText(values, name) === '')
  if (all.length === 0) return <span className="text-data text-soft">The prompt has no variables.</span>
  return all.map((name) => {
    const isPlaceholder = names.placeholders.includes(name)
    const isBroken = isPlaceholder && readMessages(typedText(values, name)) === undefined
    return (
      <span key={name} className="flex flex-col gap-1">
        <label htmlFor={`${id}-${name}`} className="font-mono text-code font-medium wrap-anywhere text-info">
          {name}
        </label>
        <textarea
          id={`${id}-${name}`}
          aria-label={`${name}, ${row.name.toLowerCase()}`}
          aria-invalid={isBroken || undefined}
          rows={isPlaceholder ? 1 : 2}
          value={typedText(values, name)}
          // biome-ignore lint/a11y/noAutofocus: the page can do nothing before this field has a value
          autoFocus={isFocused && name === firstEmpty}
          placeholder={isPlaceholder ? '[{"role": "user", "content": "…"}]' : ''}
          spellCheck={!isPlaceholder}
          onChange={(event) => onChange({ ...values, [name]: event.target.value })}
          className={`${controlClass} field-sizing-content max-h-64 resize-y text-data ${isPlaceholder ? 'font-mono text-code' : ''}`}
        />
        {isBroken && <span className="text-meta text-danger">Not a list of messages with role and content.</span>}
      </span>
    )
  })
}
