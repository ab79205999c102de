import { Minus } from 'lucide-react'
import type { ComponentSummary } from '../../api/generated/api.ts'
import { formatInterval, hasMean, NO_CHANGE } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { centeredDomain } from '../../ui/charts/percent-scale.ts'
import { countOf, formatCount, formatDifference, formatRatio, formatScore } from '../../ui/format-number.ts'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { changeOf } from '../compare/metric-change.ts'
import { runTitle } from '../runs/run-title.ts'
import { toEstimate } from './trace-estimates.ts'
import { VerdictWord } from './verdict-words.tsx'

type VerdictCellProps = Pick<ComponentSummary, 'comparison' | 'newestRun' | 'headline' | 'counts'>

/** The newest comparison of two runs; without one, how good the newest evaluation is. */
export function VerdictCell({ comparison, ...rest }: VerdictCellProps) {
  if (!comparison) return <NotCompared {...rest} />
  const { verdict, metric, candidate } = comparison
  const change = metric && changeOf(metric)
  const found = metric && change && toEstimate({ mean: change.value, ci: change.ci, n: metric.items }, '')
  const estimate = found && hasMean(found) ? found : undefined
  const kind = change?.kind ?? 'difference'
  const none = NO_CHANGE[kind]
  const [format, formatEnd] = kind === 'ratio' ? [formatRatio, formatRatio] : [formatDifference, formatScore]
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      <span className="flex items-baseline gap-x-2 max-sm:flex-wrap">
        <VerdictWord verdict={verdict} />
        <span className="min-w-0 truncate text-soft" title={withMetricTitles(comparison.summary)}>
          {metric && <b className="font-medium text-ink">{metricTitle(metric.name)}</b>}{' '}
          {estimate && <span className="tabular-nums">{format(estimate.mean)}, </span>}
          {runTitle(candidate)}
        </span>
      </span>
      {estimate ? (
        <span className="flex items-center gap-2.5 text-meta whitespace-nowrap text-soft tabular-nums">
          <span className="w-[72px] shrink-0">
            <IntervalGlyph
              marks={[{ series: 'candidate', estimate, isUnclear: estimate.low <= none && estimate.high >= none }]}
              domain={centeredDomain([estimate.low, estimate.high], kind)}
              change={kind}
            />
          </span>
          <span className="sr-only">95 % interval of the {kind}</span>
          {formatInterval(estimate, formatEnd)} · {countOf(estimate.n, 'item')}
        </span>
      ) : (
        <span className="truncate text-meta text-soft">
          {countOf(comparison.pairs, 'item')} in both runs of {candidate.datasetName}
        </span>
      )}
    </span>
  )
}

function NotCompared({ newestRun, headline, counts }: Omit<VerdictCellProps, 'comparison'>) {
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      <span className="flex flex-wrap items-baseline gap-x-2 text-soft">
        <span className="inline-flex items-center gap-1.5 font-semibold">
          <Minus aria-hidden className="size-3.5 shrink-0" />
          Not compared
        </span>
        {describeRuns(counts.runs)}
      </span>
      {/* Never cut: its end is the interval and n. */}
      <span className="text-meta wrap-anywhere whitespace-normal text-soft">
        {headline
          ? describeHeadline(headline)
          : newestRun
            ? `${runTitle(newestRun)}, not evaluated`
            : 'Nothing evaluated'}
      </span>
    </span>
  )
}

function describeRuns(runs: number): string {
  if (runs === 0) return 'no run yet'
  return runs === 1 ? 'one run so far' : countOf(runs, 'run')
}

function describeHeadline({ name, mean, ci, n, summary }: NonNullable<ComponentSummary['headline']>): string {
  const [low, high] = ci ?? []
  if (summary !== null || mean === null || low === undefined || high === undefined)
    return `${metricTitle(name)}: ${summary ?? ''}`
  return `${metricTitle(name)} ${formatScore(mean)} (${formatScore(low)} to ${formatScore(high)}, n ${formatCount(n)})`
}
