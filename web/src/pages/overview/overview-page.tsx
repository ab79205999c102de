import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { apiKey } from '../../api/api-query.ts'
import type { ComponentSummary } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import type { Period } from '../../api/overview-query.ts'
import { traceSeriesQuery } from '../../api/trace-list-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { TimeStrip, timeStripHeight } from '../../ui/charts/time-strip.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { countOf } from '../../ui/format-number.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { hasRole } from '../shell/roles.ts'
import { ShowChanges } from '../shell/show-changes.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { UnknownComponents } from '../shell/unknown-components.tsx'
import { useApplication, useApplicationCrumb, useMe } from '../shell/use-application.ts'
import { ComponentRows } from './component-rows.tsx'
import { GettingStarted } from './getting-started.tsx'
import { listNeeds } from './list-needs.ts'
import { NeedsSection } from './needs-section.tsx'
import { PeriodSelect, periodNames } from './period-select.tsx'
import { RecentSection } from './recent-section.tsx'
import { TRACES_PAUSE_MS, useLiveSummaries } from './use-live-summaries.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/')

/** What needs the user first, then one line per component. */
export function OverviewPage() {
  const { applicationId } = route.useParams()
  const { period = '7d' } = route.useSearch()
  const navigate = useNavigate()
  const { role } = useMe()
  const reader = { applicationId, canRate: hasRole(role, 'annotator'), isAdmin: hasRole(role, 'admin') }
  const { summaries, rows, isOutdated, release, hoverProps } = useLiveSummaries(reader, period)
  const hasWork = reader.canRate && rows.some(({ work }) => work.remaining > 0 || work.openDisagreements > 0)
  const length = periodNames[period].replace('Last ', '')
  const { data: series } = useQuery(periodSeriesQuery(applicationId, period))
  const traces = series?.series[0]?.buckets.reduce((sum, { count }) => sum + count, 0)
  return (
    <div {...hoverProps}>
      <TopRow parents={[useApplicationCrumb()]} current="Overview">
        {isOutdated && <ShowChanges onClick={release} />}
        <PeriodSelect
          value={period}
          onChange={(next) =>
            void navigate({ to: pagePaths.application(applicationId), search: { period: next }, resetScroll: false })
          }
        />
      </TopRow>
      <PageBody width="wide">
        <PageHeader
          title="Overview"
          within={useApplication()?.name ?? ''}
          text={summaries.data && describe(rows, { length, traces, hasMore: summaries.hasNextPage })}
          actions={
            hasWork && (
              <Link to={pagePaths.work(applicationId)} className={`${buttonClass('primary')} max-sm:w-full`}>
                Open my work
              </Link>
            )
          }
        />
        <div className="mb-4 empty:hidden">
          <UnknownComponents applicationId={applicationId} />
        </div>
        <NeedsSection needs={listNeeds(rows, reader)} />
        <div className="mb-8">
          <div className="mb-3 flex flex-wrap items-baseline gap-x-3">
            <h2 className="font-display text-section font-semibold">Components</h2>
            {rows.length > 0 && (
              <span className="text-meta text-faint">
                Intervals are 95 %. Verdicts compare a run with its baseline.
              </span>
            )}
          </div>
          <PagedList query={summaries} empty={<NoComponent applicationId={applicationId} />}>
            {() => <ComponentRows applicationId={applicationId} rows={rows} period={length} />}
          </PagedList>
        </div>
        <div className="grid items-start gap-6 rail:grid-cols-[minmax(0,1fr)_minmax(300px,400px)]">
          <TracesOverTime applicationId={applicationId} period={period} />
          <section
            aria-labelledby="recent-title"
            className="rounded-card border border-line bg-surface p-5 shadow-lift"
          >
            <h2 id="recent-title" className="mb-4 text-body font-semibold">
              Recent
            </h2>
            <RecentSection applicationId={applicationId} rows={rows} />
          </section>
        </div>
        <GettingStarted applicationId={applicationId} />
      </PageBody>
    </div>
  )
}

interface Described {
  length: string
  /** All traces of the chart, also those without a component. Undefined while it loads. */
  traces: number | undefined
  hasMore: boolean
}

function describe(rows: ComponentSummary[], { length, traces, hasMore }: Described): string {
  const running = rows.filter(({ newestEvaluation }) => isOpen(newestEvaluation?.status)).length
  const evaluations = running === 0 ? 'no evaluation is running' : `${countOf(running, 'evaluation')} running`
  const components = `${countOf(rows.length, 'component')}${hasMore ? ' or more' : ''}`
  const inPeriod = traces === undefined ? [] : [`${countOf(traces, 'trace')} in the last ${length}`]
  return [components, ...inPeriod, evaluations].join(' · ')
}

function isOpen(status: string | undefined): boolean {
  return status === 'pending' || status === 'running'
}

function periodSeriesQuery(applicationId: string, period: Period) {
  return traceSeriesQuery(applicationId, { q: undefined, from: `-${period}`, to: undefined })
}

function TracesOverTime({ applicationId, period }: { applicationId: string; period: Period }) {
  const series = useQuery(periodSeriesQuery(applicationId, period))
  const { data } = series
  useLiveQuery(applicationId, ['traces'], apiKey('/traces/series', applicationId), { pauseMs: TRACES_PAUSE_MS })
  const navigate = useNavigate()
  return (
    <section
      aria-label="Traces over time"
      className="min-w-0 rounded-card border border-line bg-surface p-5 shadow-lift"
    >
      <QueryError query={series} />
      {data ? (
        <TimeStrip
          title="Traces and errors"
          range={{ from: Date.parse(data.from), to: Date.parse(data.to) }}
          bucketMs={data.bucketSeconds * 1000}
          buckets={(data.series[0]?.buckets ?? []).map(({ start, count, errors }) => ({
            start: Date.parse(start),
            count,
            errors,
          }))}
          onSelect={(range) => {
            if (!range) return
            const search = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }
            void navigate({ to: pagePaths.traces(applicationId), search })
          }}
        />
      ) : (
        !series.error && (
          <div className={timeStripHeight}>
            <Skeleton rows={3} />
          </div>
        )
      )}
    </section>
  )
}

function NoComponent({ applicationId }: { applicationId: string }) {
  return (
    <EmptyState
      icon={Boxes}
      title="No component yet"
      text="A component is the prompt, pipeline or agent that your traces are of. Name it in your traces, or create it here."
      action={
        <Link to={pagePaths.components(applicationId)} search={{ new: true }} className={buttonClass('primary')}>
          Create a component
        </Link>
      }
    />
  )
}
