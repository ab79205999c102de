import { useId } from 'react'
import type { RatingChoice } from '../../api/generated/api.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import type { ShortcutId } from '../../shortcuts/shortcut-list.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { RatingMark } from '../../ui/rating-mark.tsx'

export type BarRating = Pick<RatingChoice, 'value' | 'label' | 'color' | 'key'>

interface RatingBarProps {
  /** The words of the rating scheme that the user may choose, in their order. */
  ratings: readonly BarRating[]
  /** The rating that the user has given; null or undefined if there is none. */
  value: string | null | undefined
  onRate: (value: string) => void
  /** Why nothing can be rated. It is shown below the words, and neither words nor keys do anything. */
  disabledReason?: string | undefined
}

/** The words to rate with. While the bar is on the page, the key of a word chooses it. */
export function RatingBar({ ratings, value, onRate, disabledReason }: RatingBarProps) {
  const reasonId = useId()
  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in all browsers */}
      <div
        role="group"
        aria-label="Rating"
        aria-describedby={disabledReason ? reasonId : undefined}
        className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,8.5rem),1fr))] gap-2"
      >
        {ratings.map((rating) => (
          <RatingButton
            key={rating.value}
            rating={rating}
            isChosen={rating.value === value}
            onRate={disabledReason === undefined ? () => onRate(rating.value) : undefined}
          />
        ))}
      </div>
      {disabledReason && (
        <p id={reasonId} className="mt-2 text-meta text-soft">
          {disabledReason}
        </p>
      )}
    </div>
  )
}

interface RatingButtonProps {
  rating: BarRating
  isChosen: boolean
  /** Undefined if nothing can be rated. */
  onRate: (() => void) | undefined
}

function RatingButton({ rating, isChosen, onRate }: RatingButtonProps) {
  const shortcut = rating.key === null ? undefined : ratingShortcuts[rating.key]
  useShortcut(shortcut ?? 'rate1', shortcut ? onRate : undefined)
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      aria-disabled={onRate === undefined || undefined}
      aria-keyshortcuts={rating.key ?? undefined}
      onClick={onRate}
      className="flex min-h-11 min-w-0 items-center gap-2.5 rounded-control border border-edge/75 bg-raised px-3.5 py-2 text-left text-[15px] leading-5 font-medium shadow-lift hover:bg-hover aria-disabled:cursor-not-allowed aria-disabled:opacity-55 aria-pressed:border-ink aria-pressed:bg-selected aria-pressed:ring-1 aria-pressed:ring-ink touch:min-h-12"
    >
      {rating.color && <RatingMark color={rating.color} />}
      <bdi className="min-w-0 flex-1 wrap-anywhere">{ratingText(rating)}</bdi>
      {shortcut && (
        <span className="inline-flex shrink-0 text-soft">
          <ShortcutKeys id={shortcut} />
        </span>
      )}
    </button>
  )
}

/** The word to show for a rating. */
export function ratingText({ value, label }: Pick<BarRating, 'value' | 'label'>): string {
  return label?.trim() ? label : value
}

const ratingShortcuts: Record<NonNullable<BarRating['key']>, ShortcutId> = {
  1: 'rate1',
  2: 'rate2',
  3: 'rate3',
  4: 'rate4',
  5: 'rate5',
  6: 'rate6',
  7: 'rate7',
  8: 'rate8',
  9: 'rate9',
}
