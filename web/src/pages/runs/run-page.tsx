import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { componentQuery } from '../../api/components-query.ts'
import { datasetQuery, runQuery } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { peekRoomClass } from '../agreement/peek-dock.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { hasRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication, useMe } from '../shell/use-application.ts'
import { AgreementTab } from './agreement-tab.tsx'
import { RatingsTab } from './ratings-tab.tsx'
import { casesText, formatTime, runTitle } from './run-title.ts'
import { useLiveRun } from './use-live-run.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/runs/$runId')

export function RunPage() {
  const runKey = route.useParams()
  const { applicationId, componentId, runId } = runKey
  const { tab = 'ratings', item } = route.useSearch()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: run } = useSuspenseQuery(runQuery(runKey))
  const { data: dataset } = useQuery(datasetQuery({ ...runKey, datasetId: run.datasetId }))
  const navigate = useNavigate()
  useLiveRun(runKey)
  const application = useApplication()
  const canAnnotate = hasRole(useMe().role, 'annotator')
  const title = runTitle({ ...run, datasetName: dataset?.name })
  const componentPath = pagePaths.component(applicationId, componentId)
  const show = (chosen: string) =>
    void navigate({
      to: pagePaths.run(applicationId, componentId, runId),
      search: { tab: chosen === 'agreement' ? 'agreement' : 'ratings' },
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
      <div className={tab === 'agreement' && item ? peekRoomClass : ''}>
        <PageBody width="wide">
          <PageHeader
            title={title}
            within={application?.name ?? ''}
            // The title of a run without a name has the same.
            text={
              run.name &&
              [dataset?.name, casesText(run.traceCount), formatTime(run.createdAt)].filter(Boolean).join(' · ')
            }
            actions={
              canAnnotate && (
                <Link to={pagePaths.annotate(applicationId, componentId, runId)} className={buttonClass('primary')}>
                  Annotate
                </Link>
              )
            }
          />
          <Tabs
            label="Run"
            value={tab}
            onChange={show}
            tabs={[
              { value: 'ratings', title: 'Ratings', panel: <RatingsTab runKey={runKey} run={run} /> },
              { value: 'agreement', title: 'Agreement', panel: <AgreementTab runKey={runKey} /> },
            ]}
          />
        </PageBody>
      </div>
    </>
  )
}
