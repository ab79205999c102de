import { hasMean } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { formatCount, formatDifference, formatScore } from '../../ui/format-number.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import type { ExperimentRow } from './experiment-words.ts'

interface StartAndBestProps {
  row: ExperimentRow
  /** One scale for all rows. */
  domain: readonly [number, number]
}

/** The start and the best proposal on the validation items, and what is left of the difference on new ones. */
export function StartAndBest({ row: { validation, validated }, domain }: StartAndBestProps) {
  if (!validation || validation.start === null) return <span className="text-meta text-soft">no score yet</span>
  const { start, startCi, best, items, expectedOnNew } = validation
  const isBetter = best !== null && best.number > 0
  const [low, high] = expectedOnNew?.ci ?? []
  return (
    <div className="min-w-0">
      <Line series="baseline" mean={start} ci={startCi} domain={domain} n={items} />
      {isBetter && <Line series="candidate" mean={best.mean} ci={best.ci} domain={domain} n={items} />}
      <p className="mt-0.5 text-meta text-soft tabular-nums">
        {!isBetter && (validated === 0 ? 'no proposal is validated yet' : 'no proposal is above the start')}
        {isBetter && expectedOnNew && (
          <>
            <b className="font-semibold text-ink">{formatDifference(expectedOnNew.difference)}</b>
            {low !== undefined && high !== undefined && ` (${formatDifference(low)} to ${formatDifference(high)})`}{' '}
            expected on new items
          </>
        )}
      </p>
    </div>
  )
}

interface LineProps {
  series: 'baseline' | 'candidate'
  mean: number
  ci: readonly number[] | null
  domain: readonly [number, number]
  n: number
}

function Line({ series, mean, ci, domain, n }: LineProps) {
  const estimate = toEstimate({ mean, ci, n }, '')
  return (
    <p
      data-estimate=""
      className="grid grid-cols-[3.25rem_48px_auto] wide:grid-cols-[3.25rem_72px_auto] items-center justify-start gap-x-2 tabular-nums"
    >
      <span className="font-semibold whitespace-nowrap">
        <SeriesIcon series={series} />
        <span data-mean="">{formatScore(mean)}</span>
      </span>
      <IntervalGlyph marks={[{ series, estimate }]} domain={domain} />
      <span className="text-meta whitespace-nowrap text-faint max-sm:col-span-2">
        {hasMean(estimate) && `${formatScore(estimate.low)} to ${formatScore(estimate.high)}`}
        {` · n ${formatCount(n)}`}
      </span>
    </p>
  )
}
