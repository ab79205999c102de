import type { ComparedMetric } from '../../api/generated/api.ts'
import { formatInterval } from '../../ui/charts/estimate.ts'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { isIdle } from '../compare/deciding-metric.ts'
import { changeFormat, changeOf } from '../compare/metric-change.ts'
import { valueFormat } from '../compare/metric-format.ts'
import { VerdictMark, verdictRank } from '../compare/verdict-mark.tsx'

/** What the versions did by other metrics: no part of the conditions, and worth a look before a move. */
export function OtherMetrics({ metrics }: { metrics: ComparedMetric[] }) {
  const shown = metrics
    .filter((metric) => metric.n > 0 && !isIdle(metric))
    .toSorted((a, b) => verdictRank(a.verdict) - verdictRank(b.verdict))
  if (shown.length === 0) return null
  return (
    <table className="mt-4 w-full border-t border-line text-left text-data tabular-nums max-sm:block">
      <caption className="sr-only">Other metrics, which are no condition</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Metric</th>
          <th scope="col">Verdict</th>
          <th scope="col">Before and after</th>
          <th scope="col">Change, 95 % CI</th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line max-sm:block">
        {shown.map((metric) => (
          <Row key={metric.name} metric={metric} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ metric }: { metric: ComparedMetric }) {
  const { name, verdict, baseline, candidate, n } = metric
  const format = valueFormat(metric)
  const { value, ci } = changeOf(metric)
  const [low, high] = ci ?? []
  const change = changeFormat(metric)
  const mean = (one: number | null) => (one === null ? '–' : format(one))
  return (
    <tr
      data-estimate=""
      className="max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4 max-sm:gap-y-0.5 max-sm:py-2.5 sm:[&>*]:py-2 sm:[&>*]:pr-4"
    >
      <th scope="row" className="font-semibold wrap-anywhere">
        <bdi>{metricTitle(name)}</bdi>
      </th>
      <td className="max-sm:text-right">
        <VerdictMark verdict={verdict} />
      </td>
      <td className="whitespace-nowrap">
        <SeriesIcon series="baseline" />
        <span data-mean="">{mean(baseline.mean)}</span> → <SeriesIcon series="candidate" />
        <span data-mean="">{mean(candidate.mean)}</span>
      </td>
      <td className="text-right sm:pr-0!">
        {value !== null && <b className="font-semibold whitespace-nowrap">{change(value)}</b>}{' '}
        <span className="text-soft">
          {low !== undefined && high !== undefined ? `(${formatInterval({ low, high }, change)})` : '(no interval)'}
        </span>{' '}
        <span className="whitespace-nowrap text-faint">n {formatCount(n)}</span>
      </td>
    </tr>
  )
}
