import { Check, CircleDashed, LoaderCircle, type LucideIcon, Minus, TriangleAlert, X } from 'lucide-react'
import type { EvaluationCase } from '../../api/generated/api.ts'
import { formatMetric } from '../../ui/format-number.ts'

type CaseScore = EvaluationCase['scores'][number]

/** One score in a word: shape and word before color. */
export function ScoreMark({ score }: { score: CaseScore }) {
  const { icon: Icon, word, className } = lookOf(score)
  const value = score.score === null ? score.label : formatMetric(score.score)
  return (
    <span className={`inline-flex min-w-0 items-center gap-1 ${className}`}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="truncate">
        {word}
        {value !== null && <span className="ml-1 tabular-nums text-soft">{value}</span>}
      </span>
    </span>
  )
}

function lookOf({ state, passed }: CaseScore): { icon: LucideIcon; word: string; className: string } {
  if (state === 'scored') {
    if (passed === null) return { icon: Minus, word: '', className: '' }
    return passed
      ? { icon: Check, word: 'pass', className: 'text-good' }
      : { icon: X, word: 'fail', className: 'text-danger' }
  }
  if (state === 'failed') return { icon: TriangleAlert, word: 'no score', className: 'text-warn' }
  if (state === 'skipped') return { icon: CircleDashed, word: 'skipped', className: 'text-soft' }
  return { icon: LoaderCircle, word: state, className: 'text-soft' }
}
