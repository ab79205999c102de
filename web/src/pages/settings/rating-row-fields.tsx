import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { RatingMark, ratingColors } from '../../ui/rating-mark.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { RATINGS_MIN, type RatingRow, type RatingVerdict, ratingKeys } from './rating-draft.ts'

export type MoveButton = 'up' | 'down'

interface RatingRowFieldsProps {
  row: RatingRow
  /** Starts at 0. */
  index: number
  count: number
  verdict: RatingVerdict | undefined
  isReadOnly: boolean
  /** Moves the focus to the word of a row that was just added. */
  isAdded: boolean
  onChange: (change: Partial<RatingRow>) => void
  onKeyChange: (key: RatingRow['key']) => void
  /** The button that has moved the row. It is another element at the end of the list, and gets the focus back. */
  movedBy: MoveButton | undefined
  onMove: (index: number, by?: MoveButton) => void
  onRemove: () => void
}

/** One word of the scheme. A row of a table on wide screens, stacked fields on narrow ones. */
export function RatingRowFields({
  row,
  index,
  count,
  verdict,
  isReadOnly,
  isAdded,
  movedBy,
  ...props
}: RatingRowFieldsProps) {
  const name = row.word.trim() || `word ${index + 1}`
  const isFirst = index === 0
  const isLast = index === count - 1
  const moveByKey = (event: KeyboardEvent) => {
    const step = event.altKey ? steps[event.key] : undefined
    if (step === undefined || isReadOnly) return
    event.preventDefault()
    if (!(step < 0 ? isFirst : isLast)) props.onMove(index + step)
  }
  const field = { readOnly: isReadOnly, onKeyDown: moveByKey, autoComplete: 'off' }
  return (
    <li className={rowClass}>
      <span aria-hidden className="self-start pt-9 text-right font-mono text-data text-faint tabular-nums @3xl:pt-4">
        {index + 1}
      </span>
      <div className="col-span-2 @3xl:col-span-1">
        <TextField
          {...field}
          {...(isAdded ? { ref: focusOnMount } : {})}
          label={<Label text="Word" index={index} />}
          value={row.word}
          required
          pattern=".*\S.*"
          maxLength={500}
          onChange={(event) => props.onChange({ word: event.target.value })}
        />
      </div>
      <div className="col-start-2 @3xl:col-start-auto">
        <TextField
          {...field}
          label={<Label text="Label" index={index} />}
          value={row.label}
          maxLength={500}
          placeholder={isReadOnly ? undefined : 'the word'}
          onChange={(event) => props.onChange({ label: event.target.value })}
        />
      </div>
      <TextField
        {...field}
        label={<Label text="Score" index={index} />}
        type="number"
        step="any"
        min={-1_000_000}
        max={1_000_000}
        required
        value={row.score}
        className="tabular-nums"
        onChange={(event) => props.onChange({ score: event.target.value })}
      />
      <div className="relative col-start-2 @3xl:col-start-auto">
        <SelectField
          label={<Label text="Color" index={index} />}
          value={row.color ?? ''}
          disabled={isReadOnly}
          className="w-full [&_select]:pl-8"
          onChange={(event) =>
            props.onChange({ color: ratingColors.find((color) => color === event.target.value) ?? null })
          }
        >
          <option value="">default</option>
          {ratingColors.map((color) => (
            <option key={color}>{color}</option>
          ))}
        </SelectField>
        <span className="pointer-events-none absolute bottom-0 left-3 flex h-[34px] items-center max-sm:h-11">
          <RatingMark color={row.color} />
        </span>
      </div>
      <SelectField
        label={<Label text="Key" index={index} />}
        value={row.key ?? ''}
        disabled={isReadOnly}
        className="w-full"
        onChange={(event) => props.onKeyChange(ratingKeys.find((key) => key === event.target.value) ?? null)}
      >
        <option value="">none</option>
        {ratingKeys.map((key) => (
          <option key={key}>{key}</option>
        ))}
      </SelectField>
      <span className="col-span-2 col-start-2 flex items-center justify-between gap-2 @3xl:contents">
        <span className="@3xl:self-start @3xl:pt-3.5">{verdict && <Badge tone={tones[verdict]}>{verdict}</Badge>}</span>
        {!isReadOnly && (
          <span className="flex justify-end gap-0.5 @3xl:self-start @3xl:pt-3">
            <IconButton
              {...(movedBy === 'up' ? { ref: focusOnMount } : {})}
              label={`Move ${name} up`}
              size="small-icon"
              className="touch:size-11"
              disabledReason={isFirst ? 'It is the first word.' : undefined}
              onClick={() => props.onMove(index - 1, 'up')}
            >
              <ArrowUp aria-hidden className="size-4" />
            </IconButton>
            <IconButton
              {...(movedBy === 'down' ? { ref: focusOnMount } : {})}
              label={`Move ${name} down`}
              size="small-icon"
              className="touch:size-11"
              disabledReason={isLast ? 'It is the last word.' : undefined}
              onClick={() => props.onMove(index + 1, 'down')}
            >
              <ArrowDown aria-hidden className="size-4" />
            </IconButton>
            <IconButton
              label={`Remove ${name}`}
              size="small-icon"
              className="touch:size-11"
              disabledReason={count <= RATINGS_MIN ? 'A scheme needs at least two words.' : undefined}
              onClick={props.onRemove}
            >
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </span>
        )}
      </span>
    </li>
  )
}

/** Wide rows have the titles of the columns instead. */
function Label({ text, index }: { text: string; index: number }) {
  return (
    <span className="@3xl:sr-only">
      {text}
      <span className="sr-only"> {index + 1}</span>
    </span>
  )
}

const steps: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 }

const tones = { good: 'good', bad: 'danger', neither: 'neutral' } as const

const columns = '@3xl:grid-cols-[1.25rem_minmax(0,1fr)_minmax(0,1fr)_5rem_7.5rem_4.75rem_4.75rem_5.5rem] @3xl:gap-2'

const rowClass = `grid grid-cols-[1.25rem_minmax(0,1fr)_5.5rem] gap-3 px-4 py-4 @3xl:py-1.5 ${columns}`

/** The titles of the columns, above the rows. */
export const ratingTitlesClass = `hidden gap-3 border-b border-line px-4 py-2.5 text-data text-faint @3xl:grid ${columns}`
