import type { ReactNode } from 'react'
import { partsOfSide } from './diff-words.ts'
import { type Diff, useDiff } from './use-diff.ts'

interface DiffTextProps {
  baseline: string
  candidate: string
  /** Above the texts, with the mark of each run. */
  baselineTitle: ReactNode
  candidateTitle: ReactNode
}

/** Two answers side by side; words that only one has are marked. Blue and orange, because neither side is the right one. */
export function DiffText({ baseline, candidate, baselineTitle, candidateTitle }: DiffTextProps) {
  const diff = useDiff(baseline, candidate)
  return (
    <div className="@container">
      <div className="grid gap-x-6 gap-y-4 @xl:grid-cols-2">
        <Side side="baseline" title={baselineTitle} text={baseline} diff={diff} />
        <Side side="candidate" title={candidateTitle} text={candidate} diff={diff} />
      </div>
      {diff === 'too-different' && (
        <p className="mt-2 text-meta text-faint">The texts are too different to mark their words.</p>
      )}
    </div>
  )
}

interface SideProps {
  side: 'baseline' | 'candidate'
  title: ReactNode
  text: string
  diff: Diff
}

function Side({ side, title, text, diff }: SideProps) {
  const parts = typeof diff === 'string' ? [{ text, isMarked: false }] : partsOfSide(diff, side)
  return (
    <div className="min-w-0">
      <div className={`mb-3 border-b-2 pb-2 text-data font-medium ${looks[side].border}`}>{title}</div>
      <p
        aria-busy={diff === 'pending' || undefined}
        className="max-w-[72ch] text-body wrap-anywhere whitespace-pre-wrap"
      >
        {parts.map((part, index) => {
          if (!part.isMarked) return part.text
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their position
            <mark key={index} className={`rounded-[3px] box-decoration-clone px-0.5 text-inherit ${looks[side].mark}`}>
              <span className="sr-only">[only here: </span>
              {part.text}
              <span className="sr-only">]</span>
            </mark>
          )
        })}
      </p>
    </div>
  )
}

const looks = {
  baseline: {
    border: 'border-series-1',
    mark: 'bg-series-1/15 shadow-[inset_0_-2px_0_color-mix(in_srgb,var(--color-series-1)_65%,transparent)]',
  },
  candidate: {
    border: 'border-series-2',
    mark: 'bg-series-2/15 shadow-[inset_0_-2px_0_color-mix(in_srgb,var(--color-series-2)_65%,transparent)]',
  },
}
