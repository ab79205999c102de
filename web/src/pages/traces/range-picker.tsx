import { CalendarDays, Check, ChevronDown } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { formatMoment, formatRange } from '../../ui/charts/time-buckets.ts'
import { menuItemClass } from '../../ui/menu.tsx'
import { Popover } from '../../ui/popover.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { isRangeLimited, presetNames, type RangeSearch, rangePresets } from './time-range.ts'

interface RangePickerProps {
  value: RangeSearch
  onChange: (range: RangeSearch) => void
}

/** The time range of the page. Not in a portal: it belongs to the landmark of its button. */
export function RangePicker({ value, onChange }: RangePickerProps) {
  const chosen = value.from || value.to ? undefined : (value.range ?? 'all')
  const choices = [...rangePresets.map((id) => ({ id, name: presetNames[id] })), { id: 'all' as const, name: ALL }]
  return (
    <Popover
      label="Time range"
      className="w-64"
      trigger={
        <Button size="small" className="min-w-0 shrink" aria-label={`Time range: ${describe(value)}`}>
          <CalendarDays aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="truncate">{describe(value)}</span>
          <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
        </Button>
      }
    >
      {(close) => {
        const choose = (range: RangeSearch) => {
          onChange(range)
          close()
        }
        return (
          <>
            <ul>
              {choices.map(({ id, name }) => (
                <li key={id}>
                  <button
                    type="button"
                    aria-pressed={id === chosen}
                    className={`${menuItemClass} hover:bg-hover`}
                    onClick={() => choose({ range: id === 'all' ? undefined : id, from: undefined, to: undefined })}
                  >
                    <span className="flex-1">{name}</span>
                    {id === chosen && <Check aria-hidden className="size-4 text-gold-ink" />}
                  </button>
                </li>
              ))}
            </ul>
            <TimesForm value={value} onChange={choose} />
          </>
        )
      }}
    </Popover>
  )
}

const ALL = 'All time'

function describe(value: RangeSearch): string {
  const [from, to] = [Date.parse(value.from ?? ''), Date.parse(value.to ?? '')]
  if (!Number.isNaN(from) && !Number.isNaN(to)) return formatRange({ from, to })
  if (!Number.isNaN(from)) return `Since ${formatMoment(from)}`
  if (!Number.isNaN(to)) return `Until ${formatMoment(to)}`
  return value.range && isRangeLimited(value) ? presetNames[value.range] : ALL
}

function TimesForm({ value, onChange }: RangePickerProps) {
  const [from, setFrom] = useState(toLocal(value.from))
  const [to, setTo] = useState(toLocal(value.to))
  const [error, setError] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (from === '' && to === '') setError('Enter a start or an end.')
    else if (from !== '' && to !== '' && from >= to) setError('The start must be before the end.')
    else onChange({ range: undefined, from: toIso(from), to: toIso(to) })
  }
  const change = (set: (text: string) => void) => (event: { target: { value: string } }) => {
    setError(undefined)
    set(event.target.value)
  }
  return (
    <form noValidate onSubmit={submit} className="mt-1 flex flex-col gap-2 border-t border-line px-2.5 pt-2 pb-2.5">
      <TextField type="datetime-local" label="From" value={from} onChange={change(setFrom)} />
      <TextField type="datetime-local" label="To" value={to} onChange={change(setTo)} error={error} />
      <Button type="submit" size="small" className="self-start">
        Show
      </Button>
    </form>
  )
}

/** A time as the browser's field writes it: local, in minutes. */
function toLocal(time: string | undefined): string {
  const date = new Date(time ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function toIso(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString()
}
