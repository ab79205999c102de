import { ArrowDown, ArrowUp, CircleDashed, Equal, EqualApproximately, type LucideIcon } from 'lucide-react'
import type { ComparisonSummary } from '../../api/generated/api.ts'

export type Verdict = ComparisonSummary['verdict']

interface Look {
  word: string
  icon: LucideIcon
  className: string
}

/** Shape and word first, color second. */
const verdictLooks: Record<Verdict, Look> = {
  improved: { word: 'Improved', icon: ArrowUp, className: 'text-good' },
  regressed: { word: 'Regressed', icon: ArrowDown, className: 'text-danger' },
  equivalent: { word: 'Equivalent', icon: Equal, className: 'text-ink' },
  noClearDifference: { word: 'No clear difference', icon: EqualApproximately, className: 'text-soft' },
  tooFewCases: { word: 'Too few cases', icon: CircleDashed, className: 'text-soft' },
}

export function VerdictWord({ verdict }: { verdict: Verdict }) {
  const { word, icon: Icon, className } = verdictLooks[verdict]
  return (
    <span className={`inline-flex items-center gap-1.5 font-semibold whitespace-nowrap ${className}`}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {word}
    </span>
  )
}
