import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { datasetsQuery } from '../../api/components-query.ts'
import type { PromptSummaries, PromptVersionSummary, VersionResults as Results } from '../../api/generated/api.ts'
import { type PromptKey, promptResultsQuery } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { type Estimate, formatInterval, hasMean } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import type { Series } from '../../ui/charts/series-mark.tsx'
import { formatCount, formatDuration, formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Card } from '../components/card.tsx'
import { dollars, toEstimate } from '../overview/trace-estimates.ts'
import { QueryError } from '../shell/query-error.tsx'
import { TrendSelect } from '../trends/trend-select.tsx'
import { VersionMark } from './version-mark.tsx'

/** What the card of results shows of a dataset: that of the gate of production, which decides, or else the first one. */
export function useVersionResults(prompt: PromptKey, gateDatasetId: string | undefined) {
  const datasetList = useInfiniteQuery(datasetsQuery(prompt.applicationId, prompt.componentId))
  const [chosenId, chooseDataset] = useState<string>()
  const [metric, chooseMetric] = useState<string>()
  const datasets = datasetList.data ?? []
  const datasetId = chosenId ?? gateDatasetId ?? datasets[0]?.id
  const query = useQuery({
    ...promptResultsQuery(prompt, { datasetId: datasetId ?? '', metric }),
    enabled: datasetId !== undefined,
  })
  return {
    datasets,
    datasetId,
    query,
    chooseDataset,
    chooseMetric,
    /** The card has its height from then on. */
    isReady: datasetList.isFetched && (datasetId === undefined || query.isFetched || query.data !== undefined),
  }
}

interface VersionResultsProps {
  prompt: PromptKey
  /** How the versions did in production; undefined while it loads. */
  production: { summaries: PromptSummaries; versions: PromptVersionSummary[] } | undefined
  results: ReturnType<typeof useVersionResults>
  shown: number | undefined
  seriesOf: (version: number) => Series | undefined
}

/** How good each version was: on a dataset, where all answer the same questions, and in production. */
export function VersionResults({ prompt, production, results, shown, seriesOf }: VersionResultsProps) {
  const { datasets, datasetId, query } = results
  const [place, setPlace] = useState<'dataset' | 'production'>('dataset')
  const look = { shown, seriesOf }
  return (
    <Card title="Results by version">
      <Segmented
        label="Results"
        value={place}
        options={[
          { value: 'dataset', label: 'On the dataset' },
          { value: 'production', label: 'In production' },
        ]}
        onChange={setPlace}
      />
      {place === 'dataset' && (
        <div className="mt-3">
          {datasetId === undefined && (
            <p className="text-data text-soft">No version has been evaluated: the component has no dataset yet.</p>
          )}
          {datasetId !== undefined && !query.data && (query.error ? <QueryError query={query} /> : <Skeleton />)}
          {query.data && (
            <>
              <div className="mb-1 flex flex-wrap gap-2">
                {datasets.length > 1 && (
                  <TrendSelect
                    label="Dataset"
                    value={query.data.dataset.id}
                    options={datasets.map(({ id, name }) => ({ value: id, label: name }))}
                    onChange={results.chooseDataset}
                  />
                )}
                {query.data.metrics.length > 1 && (
                  <TrendSelect
                    label="Metric"
                    value={query.data.metric ?? ''}
                    options={query.data.metrics.map((value) => ({ value, label: metricTitle(value) }))}
                    onChange={results.chooseMetric}
                  />
                )}
              </div>
              <OnDataset results={query.data} {...look} />
              <CompareLink prompt={prompt} results={query.data} {...look} />
            </>
          )}
        </div>
      )}
      {place === 'production' && (
        <div className="mt-3">{production ? <InProduction {...production} {...look} /> : <Skeleton />}</div>
      )}
    </Card>
  )
}

interface Look {
  shown: number | undefined
  seriesOf: (version: number) => Series | undefined
}

function OnDataset({ results, ...look }: Look & { results: Results }) {
  const { data, dataset, metric, scale } = results
  if (data.length === 0) {
    return (
      <p className="text-data text-soft">
        No version has been evaluated on {dataset.name}. A run counts for a version if all of its traces name it.
      </p>
    )
  }
  return (
    <>
      <ol>
        {data.map(({ version, mean, ci, n, changed, cost, duration }) => (
          <li key={version}>
            <VersionEstimate
              version={version}
              estimate={toEstimate({ mean, ci, n }, `no interval, n ${formatCount(n)}`)}
              scale={scale}
              spent={[costText(cost.meanUsd), timeText(duration.medianMs)]}
              {...look}
            />
            {changed && (
              <p className="my-1 border-t border-dashed border-warn pt-1 text-meta text-warn">{changed.summary}</p>
            )}
          </li>
        ))}
      </ol>
      <p className="mt-3 text-meta text-faint text-pretty">
        {metric === null ? '' : `${metricTitle(metric)} on `}
        {dataset.name}: the newest evaluated run of each version. Cost is the mean of a trace, time the median.
      </p>
    </>
  )
}

/** To the comparison of the two versions that are marked, if both have a run. */
function CompareLink({ prompt, results, seriesOf }: Look & { prompt: PromptKey; results: Results }) {
  const candidate = results.data.find(({ version }) => seriesOf(version) === 'candidate')
  const baseline = results.data.find(({ version }) => seriesOf(version) === 'baseline')
  if (!candidate || !baseline) return null
  return (
    <p className="mt-2 text-data">
      <Link
        to={pagePaths.compare(prompt.applicationId, prompt.componentId)}
        search={{ base: baseline.runId, cand: [candidate.runId] }}
        className="touch-link underline underline-offset-4"
      >
        Is v{candidate.version} better than v{baseline.version}?
      </Link>
    </p>
  )
}

function InProduction({
  summaries,
  versions,
  ...look
}: Look & { summaries: PromptSummaries; versions: PromptVersionSummary[] }) {
  const used = versions.filter(({ traces }) => traces > 0)
  if (used.length === 0) return <p className="text-data text-soft">No version was used in the last 30 days.</p>
  return (
    <>
      <ol>
        {used.map(({ number, rate, cost }) => (
          <li key={number}>
            <VersionEstimate
              version={number}
              estimate={rate.summary === null ? toEstimate(rate, 'no interval') : { summary: rate.summary }}
              scale={summaries.scale}
              spent={[costText(cost.mean)]}
              {...look}
            />
          </li>
        ))}
      </ol>
      <p className="mt-3 text-meta text-faint text-pretty">
        {metricTitle(summaries.metric)}, last 30 days. Versions that were live at other times had other questions: this
        is no comparison.
      </p>
    </>
  )
}

/** A version without a known cost says nothing about it: 0 would be wrong. */
function costText(usd: number | null): string | undefined {
  return usd === null ? undefined : dollars(usd)
}

function timeText(ms: number | null): string | undefined {
  return ms === null ? undefined : formatDuration(ms)
}

interface VersionEstimateProps extends Look {
  version: number
  estimate: Estimate
  scale: readonly number[] | null
  /** Its cost and its time, as far as they are known. */
  spent: (string | undefined)[]
}

function VersionEstimate({ version, estimate, scale, spent, shown, seriesOf }: VersionEstimateProps) {
  const [low = 0, high = 1] = scale ?? []
  const series = seriesOf(version)
  return (
    <div
      data-estimate
      className={`-mx-2 grid grid-cols-[3rem_minmax(0,1fr)_auto] items-center gap-x-2 border-l-2 px-2 py-1.5 text-data tabular-nums ${shown === version ? 'border-gold bg-selected' : 'border-transparent'}`}
    >
      <span className="font-semibold">
        <VersionMark version={version} />
      </span>
      {hasMean(estimate) ? (
        <>
          <IntervalGlyph marks={[{ series: series ?? 'plain', estimate }]} domain={[low, high]} />
          <b data-mean className="font-semibold">
            {formatMetric(estimate.mean)}
          </b>
          <span className="col-span-2 col-start-2 text-meta text-faint">
            <span className="sr-only">95 % interval </span>
            {[`${formatInterval(estimate, formatMetric)} · n ${formatCount(estimate.n)}`, ...spent]
              .filter((part) => part !== undefined)
              .join(' · ')}
          </span>
        </>
      ) : (
        <span className="col-span-2 text-faint">{estimate.summary}</span>
      )}
    </div>
  )
}
