import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { apiKey } from '../../api/api-query.ts'
import { datasetsQuery } from '../../api/components-query.ts'
import type { Trial } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { TRIALS, trialsQuery } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Count } from '../../ui/quantities.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ComponentFrame } from '../components/component-frame.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { TrialStatus } from './trial-status.tsx'
import { trialTitle } from './trial-words.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/trials')

/** The trials of a component, newest first. */
export function TrialListPage() {
  const ids = route.useParams()
  const { applicationId, componentId } = ids
  const query = useInfiniteQuery(trialsQuery(applicationId, componentId))
  const datasets = useInfiniteQuery(datasetsQuery(applicationId, componentId))
  useLiveQuery(applicationId, ['trials'], apiKey(TRIALS, applicationId), { pauseMs: 1_500 })
  const start = hasRole(useMe().role, 'editor') && (
    <Link to={pagePaths.newTrial(applicationId, componentId)} className={buttonClass('primary')}>
      New trial
    </Link>
  )
  const columns: Column<Trial>[] = [
    {
      title: 'Trial',
      isRowHeader: true,
      cell: (trial) => (
        <Link
          to={pagePaths.trial(applicationId, componentId, trial.id)}
          className="touch-link font-medium underline-offset-4 hover:underline"
        >
          <bdi>{trialTitle(trial)}</bdi>
        </Link>
      ),
    },
    { title: 'Status', cell: (trial) => <TrialStatus trial={trial} /> },
    {
      title: 'Dataset',
      cell: ({ datasetId }) => <bdi>{datasets.data?.find(({ id }) => id === datasetId)?.name ?? '–'}</bdi>,
    },
    { title: 'Calls', align: 'right', cell: ({ calls }) => <Count value={calls} /> },
    { title: 'When', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
  ]
  return (
    <ComponentFrame {...ids} part="Trials" actions={query.data?.length !== 0 && start}>
      <h2 className="sr-only">Trials</h2>
      <PagedList
        query={query}
        empty={
          <EmptyState
            icon={FlaskConical}
            title="No trial yet"
            text="A trial runs several variants over the same items, versions of a prompt, models or your own code, and finds out which one is better."
            action={start}
          />
        }
      >
        {(rows) => <Table caption="Trials" columns={columns} rows={rows} rowKey={({ id }) => id} />}
      </PagedList>
    </ComponentFrame>
  )
}
