import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Comparison, ComponentOverview } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { IntervalPlot } from '../../ui/charts/interval-plot.tsx'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { decidingMetric } from '../compare/deciding-metric.ts'
import { changeEstimate, changeFormat, changeOf, correctionOf } from '../compare/metric-change.ts'
import { formatP } from '../compare/metric-format.ts'
import { splitSummary } from '../compare/split-summary.ts'
import { VerdictWord } from '../overview/verdict-words.tsx'
import { runTitle } from '../runs/run-title.ts'
import { QueryError } from '../shell/query-error.tsx'

interface VerdictSectionProps {
  applicationId: string
  componentId: string
  query: UseQueryResult<Comparison>
  good: ComponentOverview['good']
  hasPrompts: boolean
}

/** The comparison of the two newest runs, as one line with its plot. */
export function VerdictSection({ applicationId, componentId, query, good, hasPrompts }: VerdictSectionProps) {
  const { data: comparison, error } = query
  if (error) return <QueryError query={query} />
  if (!comparison) return <Skeleton rows={3} />
  const metric = decidingMetric(comparison, good.comparison?.metric?.name)
  const change = metric && changeOf(metric)
  const { headline, rest } = splitSummary(withMetricTitles(metric?.summary ?? comparison.summary))
  const names = namesOf(comparison, good)
  return (
    <section
      aria-label="Last verdict"
      className="grid items-center gap-x-10 gap-y-4 rail:grid-cols-[minmax(0,1fr)_minmax(280px,380px)]"
    >
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-1.5 text-data text-soft">
          <VerdictWord verdict={comparison.verdict} />
          <span>
            · <SeriesIcon series="candidate" />
            {names.candidate} against <SeriesIcon series="baseline" />
            {names.baseline}
          </span>
        </p>
        <h2 className="mt-1 font-display text-verdict font-semibold tracking-tight text-balance break-words max-sm:text-title">
          {headline}
        </h2>
        <p className="mt-2 max-w-[72ch] text-soft">
          {rest && `${rest} `}
          {metric && (
            <span className="tabular-nums">
              {formatCount(metric.wins)} won, {formatCount(metric.ties)} tied, {formatCount(metric.losses)} lost
              {metric.test && `; p ${formatP(metric.test.pAdjusted)}`}
              {metric.test && correctionOf(metric) && ` ${correctionOf(metric)}`}.
            </span>
          )}
        </p>
        <Link
          to={pagePaths.compare(applicationId, componentId)}
          search={comparedSearch(comparison)}
          className={`${buttonClass('secondary', 'small')} mt-3`}
        >
          Compare item by item
        </Link>{' '}
        {hasPrompts && (
          <Link
            to={pagePaths.experiments(applicationId, componentId)}
            className={`${buttonClass('quiet', 'small')} mt-3`}
          >
            Improve the prompt…
          </Link>
        )}
      </div>
      {metric && change?.ci && (
        <div className="rounded-card border border-line bg-surface p-4 shadow-lift">
          <IntervalPlot
            title={`${change.kind === 'ratio' ? 'Ratio' : 'Difference'} on ${metricTitle(metric.name)}`}
            note={metric.higherIsBetter ? 'right is better' : 'left is better'}
            rows={[
              {
                label: names.candidate,
                series: 'candidate',
                estimate: changeEstimate(metric, 'No interval'),
              },
            ]}
            format={changeFormat(metric)}
            change={change.kind}
          />
        </div>
      )}
    </section>
  )
}

/** The page of comparisons has the same items, and by itself the same margin. */
function comparedSearch({ baseline, candidate, split }: Pick<Comparison, 'baseline' | 'candidate' | 'split'>) {
  return { base: baseline.runId, cand: [candidate.runId], ...(split && { split }) }
}

function namesOf({ baseline, candidate }: Comparison, { evaluation, previous, comparison }: ComponentOverview['good']) {
  const runs = [evaluation?.run, previous?.run, comparison?.baseline, comparison?.candidate]
  const titleOf = ({ runId, name }: Comparison['baseline']) => {
    const run = runs.find((known) => known?.id === runId)
    return run ? runTitle(run) : (name ?? 'an earlier run')
  }
  return { baseline: titleOf(baseline), candidate: titleOf(candidate) }
}
