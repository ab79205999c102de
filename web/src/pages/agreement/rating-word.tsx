import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { RatingMark } from '../../ui/rating-mark.tsx'

/** A rating as its scheme shows it: color and label. */
export function RatingWord({ look: { color, label } }: { look: RatingLook }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <RatingMark color={color} />
      <bdi className="truncate font-semibold">{label}</bdi>
    </span>
  )
}
