import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Database, MessageSquareText } from 'lucide-react'
import { componentQuery, datasetsQuery } from '../../api/components-query.ts'
import { connectionsQuery } from '../../api/connections-query.ts'
import { evaluatorsQuery } from '../../api/new-evaluation-query.ts'
import { promptListQuery } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
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
import { ExperimentForm } from './experiment-form.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/experiments/new')

/** Chooses the prompt, the items and the goals, and shows what that costs and can show before the first call. */
export function NewExperimentPage() {
  const { applicationId, componentId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const hiddenReason = missingRole(useMe(), 'editor', 'Starting an experiment')
  const enabled = hiddenReason === undefined
  const datasets = useInfiniteQuery({ ...datasetsQuery(applicationId, componentId), enabled })
  const prompts = useInfiniteQuery({ ...promptListQuery(applicationId, componentId), enabled })
  const connections = useInfiniteQuery({ ...connectionsQuery(applicationId), enabled })
  const evaluators = useInfiniteQuery({ ...evaluatorsQuery(applicationId), enabled })
  const failed = [datasets, prompts, connections, evaluators].find(({ error }) => error !== null)
  const isReady = datasets.data && prompts.data && connections.data && evaluators.data
  const [newestDataset] = datasets.data ?? []
  const [newestPrompt] = prompts.data ?? []
  const showAs = (view: 'form' | 'json') =>
    void navigate({
      to: pagePaths.newExperiment(applicationId, componentId),
      search: { ...search, view: view === 'json' ? view : undefined },
      replace: true,
      resetScroll: false,
    })
  useShortcut('experimentJson', enabled ? () => showAs(search.view === 'json' ? 'form' : 'json') : undefined)
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Experiments', to: pagePaths.experiments(applicationId, componentId) },
        ]}
        current="New"
      />
      <PageBody width="form">
        <PageHeader
          title="New experiment"
          within={component.name}
          text="Let a model propose better versions of a prompt, and find out on sealed items whether the best one really is better."
          actions={
            enabled && (
              <Segmented
                label="How to see it"
                value={search.view ?? 'form'}
                options={[
                  { value: 'form', label: 'Form' },
                  { value: 'json', label: 'View as JSON' },
                ]}
                onChange={showAs}
              />
            )
          }
        />
        {hiddenReason && <Forbidden reason={hiddenReason} />}
        {failed && <QueryError query={failed} />}
        {enabled && !failed && !isReady && <Skeleton rows={8} />}
        {isReady && !newestPrompt && (
          <EmptyState
            icon={MessageSquareText}
            title="An experiment improves a prompt"
            text="Save a version of a prompt first; an experiment starts from it."
            action={
              <Link to={pagePaths.prompts(applicationId, componentId)} className={buttonClass('primary')}>
                Go to the prompts
              </Link>
            }
          />
        )}
        {isReady && newestPrompt && !newestDataset && (
          <EmptyState
            icon={Database}
            title="An experiment needs items"
            text="About 60 items with what is expected: some to learn from, some to choose by, and some that stay sealed. Create a dataset from a file, from traces, or by hand."
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
        {isReady && newestPrompt && newestDataset && (
          <ExperimentForm
            // Another address is another draft.
            key={`${search.dataset} ${search.prompt} ${search.version}`}
            applicationId={applicationId}
            componentId={componentId}
            datasets={datasets.data}
            prompts={prompts.data}
            connections={connections.data}
            types={evaluators.data}
            search={search}
          />
        )}
      </PageBody>
    </>
  )
}
