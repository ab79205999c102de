import type { PromptSummaries, PromptSummary } from '../../api/generated/api.ts'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { SparkBars } from '../../ui/charts/spark-bars.tsx'
import { formatCount, formatMetric } from '../../ui/format-number.ts'
import { dollars, toEstimate } from '../overview/trace-estimates.ts'

/** What the numbers of a prompt and those of a version have. */
type Used = Pick<PromptSummary, 'traces' | 'series' | 'rate' | 'cost'>

export function TracesCell({ used: { traces, series } }: { used: Used }) {
  const bars = series.map(({ count }) => ({ count, errors: 0 }))
  return (
    <td className="text-right whitespace-nowrap tabular-nums max-sm:pl-9! max-sm:text-left">
      {traces > 0 && <SparkBars summary="" values={bars} />}{' '}
      <span className="inline-block min-w-10">
        {formatCount(traces)}
        <span className="sm:sr-only">{traces === 1 ? ' trace' : ' traces'}</span>
      </span>
    </td>
  )
}

/** The summary of the server replaces a mean that it finds too uncertain. */
export function RateCell({ used: { rate }, scale }: { used: Used; scale: PromptSummaries['scale'] }) {
  const [low = 0, high = 1] = scale ?? []
  const estimate = rate.summary === null ? toEstimate(rate, 'no interval') : { summary: rate.summary }
  return (
    <td className="whitespace-nowrap max-sm:pl-9!">
      <IntervalMark estimate={estimate} domain={[low, high]} format={formatMetric} layout="stack" />
    </td>
  )
}

export function CostCell({ used: { cost, traces } }: { used: Used }) {
  if (traces === 0) return <td className="text-right text-faint max-sm:hidden">–</td>
  return (
    <td className="text-right whitespace-nowrap tabular-nums max-sm:pl-9! max-sm:text-left">
      {cost.mean === null ? <span className="text-faint italic">unknown</span> : dollars(cost.mean)}
      <span className="text-meta text-faint sm:hidden"> a trace</span>
    </td>
  )
}
