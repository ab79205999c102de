import { CircleCheck } from 'lucide-react'
import type { Rating } from '../../api/generated/api.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import type { ShortcutId } from '../../shortcuts/shortcut-list.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { RatingMark } from '../../ui/rating-mark.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { DisagreementRow } from '../agreement/agreement-model.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import type { ResolutionResult } from './use-resolutions.ts'

interface ResolveBarProps {
  row: DisagreementRow
  /** The ratings that the run allows. */
  ratings: Rating[]
  note: string
  onNoteChange: (note: string) => void
  /** Of the last change, which may be of another disagreement. */
  result: ResolutionResult | undefined
  /** Why the user may not resolve. */
  disabledReason: string | undefined
  onResolve: (rating: string, note: string | null) => void
  onReopen: () => void
}

/** A note, and the words that settle a disagreement: a click or a key is enough, because it can be undone. */
export function ResolveBar({ row, ratings, note, result, disabledReason, ...on }: ResolveBarProps) {
  return (
    <div className="flex w-full flex-col gap-2.5 py-1">
      <LastChange result={result} />
      <TextField
        label="Note"
        isOptional
        value={note}
        readOnly={disabledReason !== undefined}
        maxLength={10_000}
        placeholder="Why this word is right"
        onChange={(event) => on.onNoteChange(event.target.value)}
      />
      <fieldset>
        <legend className="mb-1.5 text-data font-medium">{row.resolution ? 'Change to' : 'Resolve as'}</legend>
        <div className="flex flex-wrap gap-1.5">
          {ratings.map((rating) => (
            <WordButton
              key={rating.value}
              rating={rating}
              isChosen={row.resolution?.rating === rating.value}
              disabledReason={disabledReason}
              onChoose={() => on.onResolve(rating.value, note.trim() || null)}
            />
          ))}
          {row.resolution && (
            <Button look="quiet" disabledReason={disabledReason} onClick={on.onReopen}>
              Reopen
            </Button>
          )}
        </div>
      </fieldset>
    </div>
  )
}

/** Here and not in a toast, which would cover the words, and which a panel over the whole page would cover. */
function LastChange({ result }: { result: ResolutionResult | undefined }) {
  if (result?.error) return <ErrorReport error={result.error} />
  return (
    <div role="status" className="empty:hidden">
      {result && (
        <p className="flex min-h-8 items-center gap-2 rounded-control bg-good-wash px-3 text-data touch:min-h-11">
          <CircleCheck aria-hidden className="size-4 shrink-0 text-good" />
          <span className="min-w-0 flex-1 truncate">{result.message}</span>
          {result.onUndo && (
            <button
              type="button"
              onClick={result.onUndo}
              className="inline-flex items-center gap-1.5 self-stretch rounded-sm font-medium underline underline-offset-4"
            >
              Undo
              <ShortcutKeys id="undoResolution" />
            </button>
          )}
        </p>
      )}
    </div>
  )
}

interface WordButtonProps {
  rating: Rating
  isChosen: boolean
  disabledReason: string | undefined
  onChoose: () => void
}

function WordButton({ rating: { label, value, color, key }, isChosen, disabledReason, onChoose }: WordButtonProps) {
  const shortcut: ShortcutId = `resolve${key ?? '1'}`
  useShortcut(shortcut, key !== null && disabledReason === undefined ? onChoose : undefined)
  return (
    <Button
      aria-pressed={isChosen}
      disabledReason={disabledReason}
      onClick={onChoose}
      className={isChosen ? 'shadow-[inset_0_0_0_1px_var(--color-ink)]' : ''}
    >
      <RatingMark color={color} />
      <bdi className="max-w-40 truncate">{label ?? value}</bdi>
      {key !== null && <ShortcutKeys id={shortcut} />}
    </Button>
  )
}
