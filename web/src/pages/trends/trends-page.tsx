import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { apiKey } from '../../api/api-query.ts'
import { componentQuery, datasetsQuery } from '../../api/components-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { type TrendPeriod, trendPeriods, trendsQuery } from '../../api/trends-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ComponentFrame } from '../components/component-frame.tsx'
import { TRACES_PAUSE_MS } from '../overview/use-live-summaries.ts'
import { QueryError } from '../shell/query-error.tsx'
import { QualityCard } from './quality-card.tsx'
import { TraceTrends } from './trace-trends.tsx'
import { TrendSelect } from './trend-select.tsx'
import type { TrendsSearch } from './trends-search.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/compare/trends')

/** How quality, cost, duration and errors developed, with the moments at which the version changed. */
export function TrendsPage() {
  const { applicationId, componentId } = route.useParams()
  const search = route.useSearch()
  const { period = '30d', dataset: datasetId, metric } = search
  const navigate = useNavigate()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const query = useQuery(trendsQuery({ applicationId, componentId, period, datasetId }))
  const { data: datasets = [] } = useInfiniteQuery(datasetsQuery(applicationId, componentId))
  const key = apiKey('/components/{componentId}/trends', applicationId)
  useLiveQuery(applicationId, ['runs', 'evaluations'], key)
  useLiveQuery(applicationId, ['traces'], key, { pauseMs: TRACES_PAUSE_MS })
  const change = (changes: Partial<TrendsSearch>) =>
    void navigate({
      to: pagePaths.trends(applicationId, componentId),
      search: { ...search, ...changes },
      resetScroll: false,
    })
  return (
    <ComponentFrame
      applicationId={applicationId}
      componentId={componentId}
      part="Trends"
      top={
        <TrendSelect
          label="Period"
          value={period}
          options={trendPeriods.map((value) => ({ value, label: periodLabels[value] }))}
          onChange={(value) => change({ period: trendPeriods.find((known) => known === value) })}
        />
      }
    >
      <h2 className="sr-only">Trends</h2>
      {query.error && <QueryError query={query} />}
      {!query.data && !query.error && <Skeleton rows={8} />}
      {query.data && (
        <div className="flex flex-col gap-6">
          <QualityCard
            trends={query.data}
            metric={metric}
            datasets={datasets}
            datasetId={datasetId}
            ids={{ applicationId, componentId }}
            onMetric={(name) => change({ metric: name })}
            onDataset={(id) => change({ dataset: id })}
          />
          <TraceTrends trends={query.data} component={component} applicationId={applicationId} />
        </div>
      )}
    </ComponentFrame>
  )
}

const periodLabels: Record<TrendPeriod, string> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
}
