import type { ScoreGroup } from '../../api/generated/api.ts'
import { formatCount, formatScore } from '../../ui/format-number.ts'
import type { ResultMetric } from './evaluation-results.ts'

interface MetricDistributionProps {
  metric: ResultMetric
  groups: ScoreGroup[] | undefined
}

/** How the scores are spread: passed and not, the few values that there are, or tenths of the scale. */
export function MetricDistribution({ metric, groups }: MetricDistributionProps) {
  if (!groups) return <span aria-hidden className="h-9" />
  const scored = groups.filter(({ state }) => state === 'scored')
  const values = scored.filter(({ score }) => score !== null)
  const distinct = [...new Set(values.map(({ score }) => score ?? 0))].sort((a, b) => a - b)
  if (distinct.length > 2) {
    const bars = distinct.map((value) => ({
      label: Number.isInteger(value) ? String(value) : formatScore(value),
      count: sumOf(values.filter(({ score }) => score === value)),
      isPass: values.some(({ score, passed }) => score === value && passed === true),
    }))
    const hasLabels = bars.length <= 7 && bars.every(({ label }) => label.length <= 3)
    const ends = [bars[0]?.label ?? '', bars.at(-1)?.label ?? ''] as const
    return <Bars bars={bars} hasLabels={hasLabels} {...(!hasLabels && { ends })} />
  }
  const outcomes = scored.filter(({ passed }) => passed !== null)
  if (outcomes.length > 0) {
    const failed = sumOf(outcomes.filter(({ passed }) => passed === false))
    return <Outcome failed={failed} passed={sumOf(outcomes.filter(({ passed }) => passed === true))} />
  }
  if (metric.labels) {
    const bars = metric.labels.slice(0, 7).map(({ label, n }) => ({ label, count: n, isPass: false }))
    return <Bars bars={bars} hasLabels={false} />
  }
  if (!metric.distribution || !metric.scale) return <span />
  const [least, most] = metric.scale
  const bars = metric.distribution.map((count, tenth) => {
    const at = (part: number) => formatScore(least + ((most - least) * part) / 10)
    return { label: `${at(tenth)} to ${at(tenth + 1)}`, count, isPass: false }
  })
  return <Bars bars={bars} hasLabels={false} ends={[formatEnd(least), formatEnd(most)]} />
}

function Outcome({ failed, passed }: { failed: number; passed: number }) {
  const share = (100 * failed) / Math.max(1, failed + passed)
  return (
    <div className="min-w-28">
      <svg aria-hidden height={8} className="block w-full">
        <rect x="0" width={`${share}%`} height={8} rx={2} className="fill-mark" />
        <rect x={`${share}%`} width={`${100 - share}%`} height={8} rx={2} className="fill-series-3" />
      </svg>
      <p className="mt-1 flex justify-between gap-3 text-meta text-soft tabular-nums">
        <span>{formatCount(failed)} fail</span>
        <span>{formatCount(passed)} pass</span>
      </p>
    </div>
  )
}

interface Bar {
  label: string
  count: number
  isPass: boolean
}

const barsHeight = 30

function Bars({ bars, hasLabels, ends }: { bars: Bar[]; hasLabels: boolean; ends?: readonly [string, string] }) {
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const step = 100 / bars.length
  return (
    <div className="min-w-28">
      <p className="sr-only">{bars.map(({ label, count }) => `${label}: ${formatCount(count)}`).join(', ')}</p>
      <svg aria-hidden height={barsHeight} className="block w-full">
        {bars.map(({ label, count, isPass }, index) => {
          const tall = count === 0 ? 0 : Math.max(1.5, (count / most) * barsHeight)
          return (
            <rect
              key={label}
              x={`${(index + 0.08) * step}%`}
              width={`${step * 0.84}%`}
              y={barsHeight - tall}
              height={tall}
              rx={1.5}
              className={isPass ? 'fill-series-3' : 'fill-mark'}
            />
          )
        })}
      </svg>
      {hasLabels && (
        <p aria-hidden className="flex text-[11px] leading-4 text-faint tabular-nums">
          {bars.map(({ label }) => (
            <span key={label} className="flex-1 truncate text-center">
              {label}
            </span>
          ))}
        </p>
      )}
      {ends && (
        <p aria-hidden className="flex justify-between text-[11px] leading-4 text-faint tabular-nums">
          <span>{ends[0]}</span>
          <span>{ends[1]}</span>
        </p>
      )}
    </div>
  )
}

function sumOf(groups: ScoreGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}

function formatEnd(value: number): string {
  return Number.isInteger(value) ? String(value) : formatScore(value)
}
