import { X } from 'lucide-react'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import { Button } from '../../ui/button.tsx'
import type { Two } from './agreement-model.ts'

interface FilterChipProps {
  raters: Two
  ratings: Two | undefined
  nameOf: (userId: string) => string
  lookOf: (rating: string) => RatingLook
  onClear: () => void
}

/** Says whose disagreements are listed, and shows all again. */
export function FilterChip({ raters: [a, b], ratings, nameOf, lookOf, onClear }: FilterChipProps) {
  const text = ratings
    ? `${nameOf(a)}: ${lookOf(ratings[0]).label}, ${nameOf(b)}: ${lookOf(ratings[1]).label}`
    : `${nameOf(a)} and ${nameOf(b)}`
  return (
    <Button size="small" onClick={onClear} className="max-w-full min-w-0 shrink">
      <span className="sr-only">Remove the filter </span>
      <span className="truncate">{text}</span>
      <X aria-hidden className="size-3.5 shrink-0" />
    </Button>
  )
}
