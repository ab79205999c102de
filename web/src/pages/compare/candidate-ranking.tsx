import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CandidateFamily, familyQuery } from '../../api/comparison-query.ts'
import type { ComparedMetric, ComparisonFamily } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { IntervalPlot } from '../../ui/charts/interval-plot.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { isIdle } from './deciding-metric.ts'
import { betterSide, changeEstimate, changeFormat, changeOf, marginLimit } from './metric-change.ts'
import { formatP } from './metric-format.ts'
import type { ChangeSearch } from './use-compare-search.ts'
import { VerdictMark } from './verdict-mark.tsx'

interface CandidateRankingProps {
  family: CandidateFamily
  titleOf: (runId: string, name: string | null) => string
  change: ChangeSearch
}

/** Several candidates against one baseline, the best first. Verdicts are corrected for their number. */
export function CandidateRanking({ family, titleOf, change }: CandidateRankingProps) {
  const query = useQuery(familyQuery(family))
  const { data, error } = query
  if (error) return <QueryError query={query} />
  if (!data) return <Skeleton rows={8} />
  const names = sharedMetrics(data)
  const shown = data.chosen?.metric ?? family.metric ?? names[0]
  const ranked = data.candidates
    .flatMap((member) => {
      const metric = member.metrics.find(({ name }) => name === shown)
      return metric ? [{ member, metric, title: titleOf(member.candidate.runId, member.candidate.name) }] : []
    })
    .sort((a, b) => gainOf(b.metric) - gainOf(a.metric))
  const first = ranked[0]?.metric
  const measured = first && changeOf(first)
  const limit = measured && marginLimit({ kind: measured.kind, higherIsBetter: first.higherIsBetter }, family.margin)
  const [headline = '', rest] = withMetricTitles(data.summary).split(/(?<= on the same items): /)
  return (
    <>
      <h2 className="mt-5 font-display text-verdict font-semibold tracking-tight text-balance break-words max-sm:text-title">
        {headline}
        {rest && '.'}
      </h2>
      {rest && <p className="mt-2 max-w-[80ch] text-reading text-soft first-letter:uppercase">{rest}</p>}
      {shown && names.length > 1 && (
        <div className="mt-4 max-w-full overflow-x-auto">
          <Segmented
            label="Metric"
            value={shown}
            options={names.map((name) => ({ value: name, label: name }))}
            onChange={(metric) => change({ metric })}
          />
        </div>
      )}
      {first && measured && shown && (
        <div className="mt-4 rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4">
          <IntervalPlot
            title={`${measured.kind === 'ratio' ? 'Ratio' : 'Difference'} on ${shown} to the baseline`}
            note={betterSide(first.higherIsBetter).note}
            rows={ranked.map(({ metric, title }) => ({
              label: title,
              series: 'candidate',
              estimate: changeEstimate(metric, `${title}: no interval, n ${formatCount(metric.items)}`),
            }))}
            format={changeFormat(first)}
            change={measured.kind}
            worse={betterSide(first.higherIsBetter).worse}
            {...(limit !== undefined && { margin: limit })}
          />
        </div>
      )}
      <ol
        aria-label="Candidates"
        className="mt-6 flex flex-col divide-y divide-line overflow-clip rounded-card border border-line bg-surface shadow-lift"
      >
        {ranked.map(({ member, metric, title }, index) => (
          <li
            key={member.candidate.runId}
            className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-5 py-3 max-sm:px-4"
          >
            <span className="text-faint tabular-nums">{index + 1}</span>
            <span className="min-w-0 flex-1 basis-64">
              <b className="font-semibold break-words">{title}</b>
              <span className="block text-data break-words text-soft">
                {withMetricTitles(member.summary)}
                {metric.test &&
                  ` On ${metricTitle(metric.name)}: p ${formatP(metric.test.pAdjusted)} after correction for all of them.`}
                {member.testSet && ` ${member.testSet.summary}`}
              </span>
            </span>
            <VerdictMark verdict={member.verdict} />
            <Link
              to={pagePaths.compare(family.applicationId, family.componentId)}
              search={{ base: family.baseline, cand: [member.candidate.runId], ...(shown && { metric: shown }) }}
              className="touch-link rounded-sm text-data underline decoration-edge underline-offset-3 hover:decoration-ink"
            >
              Compare<span className="sr-only"> with {title} alone</span>
            </Link>
          </li>
        ))}
      </ol>
    </>
  )
}

/** Quality metrics that all candidates have. */
function sharedMetrics({ candidates }: ComparisonFamily): string[] {
  const [first, ...others] = candidates.map(({ metrics }) =>
    metrics.filter((metric) => metric.role === 'quality' && !isIdle(metric)).map(({ name }) => name),
  )
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)))
}

function gainOf(metric: ComparedMetric): number {
  const { value } = changeOf(metric)
  return value === null ? Number.NEGATIVE_INFINITY : metric.higherIsBetter ? value : -value
}
