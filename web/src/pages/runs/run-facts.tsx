import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RunSummary } from '../../api/generated/api.ts'
import type { RunKey } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { countOf, formatCount, formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Cost } from '../../ui/quantities.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { metricEstimate, sortHeadline } from '../components/overview-metrics.ts'
import { lazyDialog } from '../shell/lazy-dialog.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { domainOf, metadataEntries } from './run-columns.tsx'
import { evaluationTitle } from './run-title.ts'

const MetadataDialog = lazyDialog(async () => (await import('./metadata-dialog.tsx')).MetadataDialog)

interface RunFactsProps {
  runKey: RunKey
  summary: RunSummary | undefined
  isLoading: boolean
}

const METRICS_SHOWN = 4

/** Below the title: how good the run is, how far it is rated, what it cost, and what was run. */
export function RunFacts({ runKey, summary, isLoading }: RunFactsProps) {
  if (!summary) {
    // The room of the facts, so that the tabs do not move when they arrive.
    return isLoading ? <div aria-hidden className="mb-5 min-h-24" /> : null
  }
  return (
    <section
      aria-label="About this run"
      className="mb-5 grid min-h-24 gap-x-8 gap-y-5 rounded-card border border-line bg-surface px-5 py-4 shadow-lift md:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)_minmax(0,1.2fr)]"
    >
      <Scores runKey={runKey} summary={summary} />
      <Progress summary={summary} />
      <Metadata runKey={runKey} metadata={summary.metadata} />
    </section>
  )
}

function Scores({ runKey, summary: { results, newestEvaluation } }: { runKey: RunKey; summary: RunSummary }) {
  const { applicationId, componentId } = runKey
  const isRunning = newestEvaluation?.status === 'pending' || newestEvaluation?.status === 'running'
  const metrics = results ? sortHeadline(results) : []
  return (
    <div className="min-w-0">
      <h2 className={factTitleClass}>Scores</h2>
      {metrics.length === 0 && (
        <p className="text-data text-soft">{isRunning ? 'Evaluating…' : 'Not evaluated yet.'}</p>
      )}
      <ul className="flex flex-col gap-1">
        {metrics.slice(0, METRICS_SHOWN).map((metric) => (
          <li key={metric.name} className="flex flex-wrap items-center gap-x-4">
            <bdi className="min-w-28 flex-1 truncate text-data">{metricTitle(metric.name)}</bdi>
            <IntervalMark estimate={metricEstimate(metric)} domain={domainOf(metric)} format={formatMetric} />
          </li>
        ))}
      </ul>
      {results && (
        <p className="mt-1.5 text-meta text-faint">
          <Link
            to={pagePaths.evaluation(applicationId, componentId, results.id)}
            className="rounded-sm underline decoration-edge underline-offset-3 touch-link hover:text-ink"
          >
            {evaluationTitle(results)}
          </Link>
          , <RelativeTime time={results.completedAt ?? results.createdAt} />
          {metrics.length > METRICS_SHOWN && `; ${metrics.length - METRICS_SHOWN} more metrics`}
          {isRunning && '; a newer one is running'}
        </p>
      )}
    </div>
  )
}

function Progress({ summary: { rated, traceCount, traces, openDisagreements } }: { summary: RunSummary }) {
  return (
    <div className="min-w-0">
      <h2 className={factTitleClass}>Ratings and traces</h2>
      <p className="text-data">
        rated{' '}
        <b className="font-semibold tabular-nums">
          {formatCount(rated)} of {formatCount(traceCount)}
        </b>
        {openDisagreements > 0 && (
          <span className="text-soft">, {countOf(openDisagreements, 'open disagreement')}</span>
        )}
      </p>
      {traces && (
        <>
          <p className="text-data text-soft">
            {traces.arrived < traceCount && `${formatCount(traceCount - traces.arrived)} not arrived, `}
            {traces.errors === 0 ? 'none failed' : `${formatCount(traces.errors)} failed`}
          </p>
          {traces.arrived > 0 && (
            <p className="text-data text-soft">
              cost <Cost dollars={traces.cost.usd} />
              {traces.cost.usd !== null &&
                traces.cost.unknown > 0 &&
                `, of ${formatCount(traces.cost.unknown)} unknown`}
            </p>
          )}
        </>
      )}
    </div>
  )
}

function Metadata({ runKey, metadata }: { runKey: RunKey; metadata: Record<string, unknown> }) {
  const [isEditing, setIsEditing] = useState(false)
  const entries = metadataEntries(metadata)
  const disabledReason = missingRole(useMe(), 'editor', 'Changing metadata')
  return (
    <div className="min-w-0">
      <div className="flex items-start justify-between gap-2">
        <h2 className={factTitleClass}>What was run</h2>
        <Button look="quiet" size="small" disabledReason={disabledReason} onClick={() => setIsEditing(true)}>
          Edit
          <span className="sr-only"> metadata</span>
        </Button>
      </div>
      {entries.length === 0 && (
        <p className="text-data text-soft">Unknown. Name the model, prompt and commit, to see later what changed.</p>
      )}
      <dl className="grid max-h-32 grid-cols-[max-content_minmax(0,1fr)] gap-x-3 overflow-y-auto text-data">
        {entries.map(([field, value]) => (
          <div key={field} className="col-span-2 grid grid-cols-subgrid">
            <dt className="max-w-40 truncate text-faint">{field}</dt>
            <dd className="wrap-anywhere">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {isEditing && <MetadataDialog runKey={runKey} metadata={metadata} onClose={() => setIsEditing(false)} />}
    </div>
  )
}

const factTitleClass = 'mb-1 text-meta font-medium text-faint'
