import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { apiKey } from '../../api/api-query.ts'
import { componentQuery } from '../../api/components-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { datasetQuery, type RunKey, runQuery } from '../../api/run-query.ts'
import { runSummaryQuery } from '../../api/runs-query.ts'
import { loadPart } from '../../api/server-connection.ts'
import { pagePaths } from '../../path-builder.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { peekRoomClass } from '../../ui/peek-dock.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication } from '../shell/use-application.ts'
import { CasesTab } from './cases-tab.tsx'
import { RunActions } from './run-actions.tsx'
import { RunFacts } from './run-facts.tsx'
import { casesText, formatTime, runTitle } from './run-title.ts'

const AgreementTab = lazy(async () => ({
  default: (await loadPart(() => import('./agreement-tab.tsx'))).AgreementTab,
}))

const RatingsTab = lazy(async () => ({ default: (await loadPart(() => import('./ratings-tab.tsx'))).RatingsTab }))

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/runs/$runId')

export function RunPage() {
  const runKey = route.useParams()
  const { applicationId, componentId, runId } = runKey
  const { tab = 'cases', item } = route.useSearch()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: run } = useSuspenseQuery(runQuery(runKey))
  const { data: dataset } = useQuery(datasetQuery({ ...runKey, datasetId: run.datasetId }))
  const summary = useQuery(runSummaryQuery(runKey))
  const navigate = useNavigate()
  useLiveRun(runKey)
  const application = useApplication()
  const title = runTitle({ ...run, datasetName: dataset?.name })
  const componentPath = pagePaths.component(applicationId, componentId)
  const show = (chosen: string) =>
    void navigate({
      to: pagePaths.run(applicationId, componentId, runId),
      search: { tab: tabs.find((known) => known === chosen) },
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: componentPath },
          { label: 'Runs', to: pagePaths.componentPart(applicationId, componentId, 'runs') },
        ]}
        current={title}
      />
      <div className={tab !== 'ratings' && item ? peekRoomClass : ''}>
        <PageBody width="wide">
          <PageHeader
            title={title}
            within={application?.name ?? ''}
            // The title of a run without a name has the same.
            text={
              run.name &&
              [dataset?.name, casesText(run.traceCount), formatTime(run.createdAt)].filter(Boolean).join(' · ')
            }
            actions={<RunActions runKey={runKey} run={run} title={title} summary={summary.data ?? undefined} />}
          />
          <RunFacts runKey={runKey} summary={summary.data ?? undefined} isLoading={summary.isPending} />
          <Tabs
            label="Run"
            value={tab}
            onChange={show}
            tabs={[
              { value: 'cases', title: 'Cases', panel: <CasesTab runKey={runKey} datasetId={run.datasetId} /> },
              {
                value: 'ratings',
                title: 'Ratings',
                panel: (
                  <Suspense fallback={<Skeleton />}>
                    <RatingsTab runKey={runKey} run={run} />
                  </Suspense>
                ),
              },
              {
                value: 'agreement',
                title: 'Agreement',
                panel: (
                  <Suspense fallback={<Skeleton />}>
                    <AgreementTab runKey={runKey} />
                  </Suspense>
                ),
              },
            ]}
          />
        </PageBody>
      </div>
    </>
  )
}

const tabs = ['cases', 'ratings', 'agreement'] as const

const RUN = '/components/{componentId}/runs/{runId}'

/** How far a run is rated, and how. The list of disagreements is not read again: rows would leave it while the user resolves them. */
function useLiveRun({ applicationId }: RunKey): void {
  useLiveQuery(applicationId, ['runs'], apiKey(RUN, applicationId))
  useLiveQuery(applicationId, ['annotations'], apiKey(`${RUN}/agreement`, applicationId))
  useLiveQuery(applicationId, ['annotations', 'evaluations', 'runs'], apiKey(`${RUN}/cases`, applicationId))
  const summaries = apiKey('/components/{componentId}/run-summaries', applicationId)
  useLiveQuery(applicationId, ['annotations', 'evaluations', 'runs'], summaries)
}
