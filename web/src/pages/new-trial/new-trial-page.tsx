import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Database } from 'lucide-react'
import { componentQuery, datasetsQuery } from '../../api/components-query.ts'
import { connectionsQuery } from '../../api/connections-query.ts'
import { endpointsQuery } from '../../api/endpoints-query.ts'
import { evaluatorsQuery } from '../../api/new-evaluation-query.ts'
import { promptListQuery } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useMe } from '../shell/use-application.ts'
import { TrialForm } from './trial-form.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/trials/new')

/** Chooses variants, items and evaluators, and shows what that costs and can show before the first call. */
export function NewTrialPage() {
  const { applicationId, componentId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const hiddenReason = missingRole(useMe(), 'editor', 'Starting a trial')
  const enabled = hiddenReason === undefined
  const datasets = useInfiniteQuery({ ...datasetsQuery(applicationId, componentId), enabled })
  const prompts = useInfiniteQuery({ ...promptListQuery(applicationId, componentId), enabled })
  const connections = useInfiniteQuery({ ...connectionsQuery(applicationId), enabled })
  const endpoints = useInfiniteQuery({ ...endpointsQuery(applicationId), enabled })
  const evaluators = useInfiniteQuery({ ...evaluatorsQuery(applicationId), enabled })
  const failed = [datasets, prompts, connections, endpoints, evaluators].find(({ error }) => error !== null)
  const isReady = datasets.data && prompts.data && connections.data && endpoints.data && evaluators.data
  const [newest] = datasets.data ?? []
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Trials', to: pagePaths.trials(applicationId, componentId) },
        ]}
        current="New"
      />
      <PageBody width="form">
        <PageHeader
          title="New trial"
          within={component.name}
          text="Run several variants over the same items, and find out which one is better."
          actions={
            enabled && (
              <Segmented
                label="How to see it"
                value={search.view ?? 'form'}
                options={[
                  { value: 'form', label: 'Form' },
                  { value: 'json', label: 'View as JSON' },
                ]}
                onChange={(view) =>
                  void navigate({
                    to: pagePaths.newTrial(applicationId, componentId),
                    search: { ...search, view: view === 'json' ? view : undefined },
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
            )
          }
        />
        {hiddenReason && <Forbidden reason={hiddenReason} />}
        {failed && <QueryError query={failed} />}
        {enabled && !failed && !isReady && <Skeleton rows={8} />}
        {isReady && !newest && (
          <EmptyState
            icon={Database}
            title="A trial needs items"
            text="Each variant answers the items of a dataset. Create one from a file, from traces, or by hand."
            action={
              <Link
                to={pagePaths.componentPart(applicationId, componentId, 'datasets')}
                className={buttonClass('primary')}
              >
                Go to the datasets
              </Link>
            }
          />
        )}
        {isReady && newest && (
          <TrialForm
            // Another address is another draft.
            key={`${search.dataset} ${search.prompt} ${search.version}`}
            applicationId={applicationId}
            componentId={componentId}
            datasets={datasets.data}
            prompts={prompts.data}
            connections={connections.data}
            endpoints={endpoints.data}
            types={evaluators.data}
            search={search}
          />
        )}
      </PageBody>
    </>
  )
}
