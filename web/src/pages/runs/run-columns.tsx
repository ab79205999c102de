import { Link } from '@tanstack/react-router'
import type { EvaluatedMetrics, OverviewMetric, RunSummary } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { hasMean } from '../../ui/charts/estimate.ts'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { niceDomain } from '../../ui/charts/percent-scale.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import type { DataColumn } from '../../ui/data-table/data-column.ts'
import { countOf, formatCount, formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Cost, Count } from '../../ui/quantities.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { metricEstimate } from '../components/overview-metrics.ts'
import { runTitle } from './run-title.ts'

interface Ids {
  applicationId: string
  componentId: string
}

export function buildRunColumns(ids: Ids): DataColumn<RunSummary>[] {
  return [
    { id: 'name', title: 'Run', width: 170, grows: true, cell: (run) => <RunName run={run} ids={ids} /> },
    { id: 'dataset', title: 'Dataset', width: 124, cell: ({ datasetName }) => <bdi>{datasetName}</bdi> },
    { id: 'cases', title: 'Cases', width: 68, align: 'right', cell: ({ traceCount }) => <Count value={traceCount} /> },
    { id: 'score', title: 'Newest score', width: 280, cell: (run) => <NewestScore run={run} /> },
    { id: 'rated', title: 'Rated', width: 92, align: 'right', cell: (run) => <RatedShare run={run} /> },
    { id: 'cost', title: 'Cost', width: 112, align: 'right', cell: (run) => <RunCost run={run} /> },
    { id: 'metadata', title: 'What was run', width: 176, cell: ({ metadata }) => <Metadata metadata={metadata} /> },
    { id: 'created', title: 'Created', width: 104, cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  ]
}

/** Without the columns in which no run has anything to show. */
export function runColumnIds(runs: RunSummary[]): string[] {
  const hasMetadata = runs.some(({ metadata }) => Object.keys(metadata).length > 0)
  return ['name', 'dataset', 'cases', 'score', 'rated', 'cost', ...(hasMetadata ? ['metadata'] : []), 'created']
}

interface RunCardProps {
  run: RunSummary
  ids: Ids
  isSelected: boolean
  onSelect: () => void
}

/** A run on a phone. */
export function RunCard({ run, ids, isSelected, onSelect }: RunCardProps) {
  const title = runTitle(run)
  return (
    <div className="flex min-w-0 items-start gap-2">
      <span className="grid size-11 shrink-0 place-items-center -mt-2.5 -ml-3">
        <Checkbox state={isSelected ? 'on' : 'off'} aria-label={`Select ${title}`} onChange={onSelect} />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <RunName run={run} ids={ids} />
        <NewestScore run={run} />
        <span className="flex flex-wrap gap-x-4 gap-y-1 text-meta text-soft">
          <bdi>{run.datasetName}</bdi>
          <span>{countOf(run.traceCount, 'case')}</span>
          <span>
            rated <RatedShare run={run} />
          </span>
          <RunCost run={run} />
          <RelativeTime time={run.createdAt} />
        </span>
        <span className="text-meta">
          <Metadata metadata={run.metadata} />
        </span>
      </div>
    </div>
  )
}

function RunName({ run, ids: { applicationId, componentId } }: { run: RunSummary; ids: Ids }) {
  return (
    <Link
      to={pagePaths.run(applicationId, componentId, run.id)}
      className="block truncate rounded-sm font-medium underline decoration-edge underline-offset-4 touch-link hover:decoration-ink"
    >
      <bdi>{runTitle(run)}</bdi>
    </Link>
  )
}

/** The headline of the newest evaluation; if it is not done yet, how far it is. */
function NewestScore({ run: { results, newestEvaluation } }: { run: RunSummary }) {
  const isRunning = newestEvaluation?.status === 'pending' || newestEvaluation?.status === 'running'
  const metric = results?.metrics.find(({ name }) => name === results.headline)
  if (isRunning && newestEvaluation) {
    const { done, failed, total } = newestEvaluation.scores
    return (
      <span className="text-soft tabular-nums">
        evaluating, {formatCount(done + failed)} of {formatCount(total)}
      </span>
    )
  }
  if (newestEvaluation?.status === 'failed' && !metric) return <span className="text-danger">evaluation failed</span>
  if (!metric) return <span className="text-faint">not evaluated</span>
  return (
    <span className="flex min-w-0 flex-col leading-4">
      <span className="truncate text-meta text-soft">
        {metricTitle(metric.name)}
        {results && results.metrics.length > 1 && (
          <span className="text-faint" title={otherMetrics(results)}>{` +${results.metrics.length - 1}`}</span>
        )}
      </span>
      <IntervalMark estimate={metricEstimate(metric)} domain={domainOf(metric)} format={formatMetric} />
    </span>
  )
}

function otherMetrics({ metrics, headline }: EvaluatedMetrics): string {
  return metrics
    .filter(({ name }) => name !== headline)
    .map(
      ({ name, mean, n }) =>
        `${metricTitle(name)} ${mean === null ? 'no mean' : formatMetric(mean)} (n ${formatCount(n)})`,
    )
    .join(', ')
}

export function domainOf(metric: OverviewMetric): readonly [number, number] {
  if (metric.scale) return [metric.scale[0] ?? 0, metric.scale[1] ?? 1]
  const estimate = metricEstimate(metric)
  return hasMean(estimate) ? niceDomain([0, estimate.low, estimate.high]) : [0, 1]
}

function RatedShare({ run: { rated, traceCount, openDisagreements } }: { run: RunSummary }) {
  if (rated === 0) return <span className="text-faint">none</span>
  return (
    <span
      className="tabular-nums"
      title={openDisagreements > 0 ? countOf(openDisagreements, 'open disagreement') : undefined}
    >
      {formatCount(rated)} of {formatCount(traceCount)}
    </span>
  )
}

function RunCost({ run: { traces } }: { run: RunSummary }) {
  if (traces === null) return <span className="text-faint">not summed</span>
  if (traces.arrived === 0) return <span className="text-faint">no traces</span>
  const { usd, unknown } = traces.cost
  return (
    <span>
      <Cost dollars={usd} />
      {usd !== null && unknown > 0 && (
        <span className="text-faint" title={`The cost of ${formatCount(unknown)} traces is unknown.`}>
          {' '}
          + ?
        </span>
      )}
    </span>
  )
}

/** What says most about a run comes first. */
const firstFields = ['model', 'prompt', 'commit', 'version']

export function metadataEntries(metadata: Record<string, unknown>): [string, string][] {
  const rankOf = (field: string) => (firstFields.includes(field) ? firstFields.indexOf(field) : firstFields.length)
  return Object.entries(metadata)
    .map(([field, value]): [string, string] => [field, String(value)])
    .toSorted(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
}

function Metadata({ metadata }: { metadata: Record<string, unknown> }) {
  const entries = metadataEntries(metadata)
  if (entries.length === 0) return <span className="text-faint">–</span>
  const text = entries.map(([field, value]) => `${field} ${value}`).join(', ')
  return (
    <bdi title={text} className="block truncate text-soft">
      {entries.map(([, value]) => value).join(', ')}
    </bdi>
  )
}
