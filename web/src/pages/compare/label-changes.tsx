import type { Comparison } from '../../api/generated/api.ts'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { formatCount, formatPercent } from '../../ui/format-number.ts'
import { toEstimate } from '../overview/trace-estimates.ts'

/** Evaluators that return labels have no verdict: how many labels stayed the same, and which changed to which. */
export function LabelChanges({ labels }: { labels: Comparison['labels'] }) {
  if (labels.length === 0) return null
  return (
    <section aria-labelledby="labels" className="mt-8">
      <h2 id="labels" className="mb-3 font-display text-section font-semibold">
        Labels
      </h2>
      <ul className="flex flex-col divide-y divide-line rounded-card border border-line bg-surface shadow-lift">
        {labels.map(({ name, n, same, changes }) => (
          <li key={name} className="flex flex-wrap items-baseline gap-x-6 gap-y-1 px-5 py-3 text-data max-sm:px-4">
            <bdi className="font-semibold wrap-anywhere">{name}</bdi>
            <span>
              same label:{' '}
              <IntervalMark
                estimate={toEstimate({ mean: same.mean, ci: same.ci, n }, `no interval, n ${n}`)}
                domain={[0, 1]}
                format={formatPercent}
              />
            </span>
            <span className="min-w-0 break-words text-soft tabular-nums">
              {changes.map(({ from, to, count }) => `${from} → ${to}: ${formatCount(count)}`).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
