import { classNames } from './class-names.ts'

/** The colors that a rating may have. The theme has a shade of each one with enough contrast. */
export const ratingColors = ['red', 'orange', 'gold', 'green', 'teal', 'blue', 'purple', 'gray'] as const

export type RatingColor = (typeof ratingColors)[number]

/** The color of a rating, in front of its word. Hidden from screen readers: the word says it. */
export function RatingMark({ color }: { color: RatingColor | null }) {
  return (
    <span
      aria-hidden
      data-color={color ?? 'default'}
      className={classNames(
        'inline-block size-2.5 shrink-0 rounded-full',
        color === null ? 'border-[1.5px] border-edge' : ratingFill(color),
      )}
    />
  )
}

/** The background of a bar in the color of a rating. */
export function ratingFill(color: RatingColor | null): string {
  return color === null ? 'bg-mark' : fills[color]
}

const fills = {
  red: 'bg-rating-red',
  orange: 'bg-rating-orange',
  gold: 'bg-rating-gold',
  green: 'bg-rating-green',
  teal: 'bg-rating-teal',
  blue: 'bg-rating-blue',
  purple: 'bg-rating-purple',
  gray: 'bg-rating-gray',
}
