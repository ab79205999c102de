import { useQuery } from '@tanstack/react-query'
import { type DecisionKey, decisionQuery, fetchDecisionReport } from '../../api/decisions-query.ts'
import type { ComparedMetric, DecisionDetail } from '../../api/generated/api.ts'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { centeredDomain } from '../../ui/charts/percent-scale.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { PeekPanel } from '../../ui/peek-panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { changeEstimate, changeFormat, changeOf, describeAlone } from '../compare/metric-change.ts'
import { VerdictWord } from '../overview/verdict-words.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { authorName, DecisionLabel, runNames } from './decision-words.tsx'
import { DownloadReport, reportFileName } from './download-report.tsx'
import { ShareButton } from './share-button.tsx'

interface DecisionPeekProps {
  decision: DecisionKey
  position?: string
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onClose: () => void
}

/** A decision with the numbers that it was made on. */
export function DecisionPeek({ decision, ...panel }: DecisionPeekProps) {
  const query = useQuery(decisionQuery(decision))
  const { data, error } = query
  return (
    <PeekPanel
      label="Decision"
      {...panel}
      footer={
        data && (
          <>
            <ShareButton {...decision} />
            <DownloadReport
              read={() => fetchDecisionReport(decision)}
              fileName={reportFileName(runNames(data).candidate)}
            />
          </>
        )
      }
    >
      {data ? <DecidedNumbers decision={data} /> : error ? <QueryError query={query} /> : <Skeleton />}
    </PeekPanel>
  )
}

function DecidedNumbers({ decision }: { decision: DecisionDetail }) {
  const { comparison, note, margin, metric, createdAt } = decision
  const { metrics, pairs, onlyBaseline, onlyCandidate, looks, split, worseItems } = comparison
  const counted = metrics.filter(({ role }) => role === 'quality')
  const reported = metrics.filter(({ role }) => role === 'reported')
  const decided = metrics.find(({ name }) => name === metric)
  const isRatio = decided !== undefined && changeOf(decided).kind === 'ratio'
  const facts: [string, string][] = [
    ['Dataset', comparison.dataset],
    ['Pairs', formatCount(pairs)],
    ['Only in one run', formatCount(onlyBaseline + onlyCandidate)],
    ['Items that got worse', `${formatCount(worseItems.count)}${worseItems.isCountCut ? ' or more' : ''}`],
    ['Split', split ?? 'all items'],
    ['Margin', margin === null ? 'none' : `${margin}${isRatio ? ' ×' : ''}${metric === null ? '' : ` on ${metric}`}`],
    ['Looks', countOf(looks, 'result')],
  ]
  return (
    <div className="flex flex-col gap-5">
      <div>
        <p className="text-data">
          <DecisionLabel decision={decision.decision} />
        </p>
        {note !== '' && <p className="mt-1 whitespace-pre-wrap wrap-anywhere">{note}</p>}
        <p className="mt-1 text-meta text-faint">
          <bdi>{authorName(decision)}</bdi>, <RelativeTime time={createdAt} />
          {decision.supersededBy !== null && ' · superseded by a later decision'}
        </p>
      </div>
      <div>
        <p className="text-data">
          <VerdictWord verdict={comparison.verdict} />
        </p>
        <p className="mt-1 text-soft wrap-anywhere">{withMetricTitles(comparison.summary)}</p>
      </div>
      <Metrics title="Changes, item by item" metrics={counted} />
      {reported.length > 0 && <Metrics title="Reported, not part of the verdict" metrics={reported} />}
      <Changes comparison={comparison} />
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-data">
        {facts.map(([name, value]) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-faint">{name}</dt>
            <dd className="min-w-0 wrap-anywhere tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Metrics({ title, metrics }: { title: string; metrics: ComparedMetric[] }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-data font-semibold">{title}</h3>
      <ul className="divide-y divide-line border-y border-line">
        {metrics.map((metric) => (
          <li key={metric.name} className="py-2">
            <p className="flex flex-wrap items-baseline justify-between gap-x-3 text-data">
              <span className="min-w-0 wrap-anywhere">{metricTitle(metric.name)}</span>
              <VerdictWord verdict={metric.verdict} />
            </p>
            <IntervalMark
              layout="stack"
              series="candidate"
              change={changeOf(metric).kind}
              estimate={changeEstimate(metric, metric.summary)}
              domain={domainOf(metric)}
              format={changeFormat(metric)}
            />
            {metric.alone && <p className="text-meta text-faint tabular-nums">{describeAlone(metric)}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function domainOf(metric: ComparedMetric): readonly [number, number] {
  const { kind, ci } = changeOf(metric)
  return centeredDomain([...(ci ?? [])], kind)
}

function Changes({ comparison: { baseline, candidate } }: Pick<DecisionDetail, 'comparison'>) {
  const fields = [...new Set([...Object.keys(baseline.metadata), ...Object.keys(candidate.metadata)])].sort()
  const changed = fields.filter((field) => baseline.metadata[field] !== candidate.metadata[field])
  if (changed.length === 0) return null
  const shown = (value: unknown) => (value === undefined ? 'none' : String(value))
  return (
    <section aria-label="What changed">
      <h3 className="mb-1 text-data font-semibold">What changed</h3>
      <ul className="text-data">
        {changed.map((field) => (
          <li key={field} className="wrap-anywhere">
            <span className="text-faint">{field}</span> {shown(baseline.metadata[field])} →{' '}
            <b className="font-semibold">{shown(candidate.metadata[field])}</b>
          </li>
        ))}
      </ul>
    </section>
  )
}
