import { Check, CircleHelp, type LucideIcon, Minus } from 'lucide-react'
import type { Decision } from '../../api/generated/api.ts'

export type DecisionWord = Decision['decision']

interface Look {
  /** As a choice, before it is made. */
  choice: (candidate: string) => string
  /** As a record of what was decided. */
  word: string
  icon: LucideIcon
  className: string
}

/** Shape and word first, color second. In the order of the choices. */
export const decisionLooks: Record<DecisionWord, Look> = {
  release: { choice: (candidate) => `Release ${candidate}`, word: 'Release', icon: Check, className: 'text-good' },
  hold: { choice: () => 'Do not release', word: 'Do not release', icon: Minus, className: 'text-danger' },
  undecided: {
    choice: () => 'Cannot tell yet, more items',
    word: 'Cannot tell yet',
    icon: CircleHelp,
    className: 'text-soft',
  },
}

export const decisionWords: DecisionWord[] = ['release', 'hold', 'undecided']

export function DecisionLabel({ decision }: { decision: DecisionWord }) {
  const { word, icon: Icon, className } = decisionLooks[decision]
  return (
    <span className={`inline-flex items-center gap-1.5 font-semibold whitespace-nowrap ${className}`}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {word}
    </span>
  )
}

/** A run without a name is known by its part in the comparison. */
export function runNames({ baseline, candidate }: Pick<Decision, 'baseline' | 'candidate'>) {
  return { baseline: baseline.name ?? 'the baseline run', candidate: candidate.name ?? 'the candidate run' }
}

export function authorName({ author }: Pick<Decision, 'author'>): string {
  return author.name ?? 'Deleted account'
}
