import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { datasetsQuery, evaluationsQuery, runsQuery } from '../../api/components-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { DatasetTable } from './dataset-table.tsx'
import { EvaluationTable } from './evaluation-table.tsx'
import { RunTable } from './run-table.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId')

export function ComponentTabs({ applicationId, componentId }: { applicationId: string; componentId: string }) {
  const { tab = 'datasets' } = route.useSearch()
  const navigate = useNavigate()
  const datasets = useInfiniteQuery(datasetsQuery(applicationId, componentId))
  const runs = useInfiniteQuery(runsQuery(applicationId, componentId))
  const evaluations = useInfiniteQuery(evaluationsQuery(applicationId, componentId))
  const show = (chosen: string) =>
    void navigate({ to: pagePaths.component(applicationId, componentId), search: { tab: chosen }, replace: true })
  return (
    <Tabs
      label="Parts of the component"
      value={tab}
      onChange={show}
      tabs={[
        {
          value: 'datasets',
          title: 'Datasets',
          count: describeCount(datasets),
          panel: <DatasetTable componentId={componentId} query={datasets} />,
        },
        {
          value: 'runs',
          title: 'Runs',
          count: describeCount(runs),
          panel: (
            <RunTable
              applicationId={applicationId}
              componentId={componentId}
              query={runs}
              datasets={datasets.data ?? []}
            />
          ),
        },
        {
          value: 'evaluations',
          title: 'Evaluations',
          count: describeCount(evaluations),
          panel: <EvaluationTable componentId={componentId} query={evaluations} datasets={datasets.data ?? []} />,
        },
      ]}
    />
  )
}

/** Lists have no totals: the number of loaded rows, with "+" if there are more. */
function describeCount(query: UseInfiniteQueryResult<unknown[]>): string | undefined {
  if (!query.data) return undefined
  return `${query.data.length}${query.hasNextPage ? '+' : ''}`
}
