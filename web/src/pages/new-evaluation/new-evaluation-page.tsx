import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Database } from 'lucide-react'
import { componentQuery, datasetsQuery, evaluationQuery, runsQuery } from '../../api/components-query.ts'
import { evaluationSummariesQuery } from '../../api/evaluation-query.ts'
import { evaluatorsQuery } from '../../api/new-evaluation-query.ts'
import { runQuery } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useMe } from '../shell/use-application.ts'
import { EvaluationForm } from './evaluation-form.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/evaluations/new')

/** Chooses what is evaluated, with which evaluators, and shows what that costs and can show before it starts. */
export function NewEvaluationPage() {
  const { applicationId, componentId } = route.useParams()
  const { run: runId, dataset: datasetId, from: evaluationId } = route.useSearch()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const hiddenReason = missingRole(useMe(), 'editor', 'Starting an evaluation')
  const isAllowed = hiddenReason === undefined
  const evaluators = useInfiniteQuery({ ...evaluatorsQuery(applicationId), enabled: isAllowed })
  const runs = useInfiniteQuery({ ...runsQuery(applicationId, componentId), enabled: isAllowed })
  const datasets = useInfiniteQuery({ ...datasetsQuery(applicationId, componentId), enabled: isAllowed })
  const evaluations = useInfiniteQuery({ ...evaluationSummariesQuery(applicationId, componentId), enabled: isAllowed })
  const run = useQuery({
    ...runQuery({ applicationId, componentId, runId: runId ?? '' }),
    enabled: isAllowed && runId !== undefined,
  })
  const previous = useQuery({
    ...evaluationQuery({ applicationId, componentId, evaluationId: evaluationId ?? '' }),
    enabled: isAllowed && evaluationId !== undefined,
  })
  const failed = [evaluators, runs, datasets, evaluations, run, previous].find(({ error }) => error !== null)
  const isReady =
    evaluators.data &&
    runs.data &&
    datasets.data &&
    evaluations.data &&
    (runId === undefined || run.data) &&
    (evaluationId === undefined || previous.data)
  const parents = [
    { label: component.name, to: pagePaths.component(applicationId, componentId) },
    { label: 'Evaluations', to: pagePaths.componentPart(applicationId, componentId, 'evaluations') },
  ]
  if (isReady && evaluators.data && runs.data && datasets.data && evaluations.data && datasets.data.length > 0) {
    const shownRuns = run.data && !runs.data.some(({ id }) => id === runId) ? [run.data, ...runs.data] : runs.data
    return (
      <EvaluationForm
        // Another address is another draft.
        key={`${runId} ${datasetId} ${evaluationId}`}
        applicationId={applicationId}
        component={component}
        parents={parents}
        types={evaluators.data}
        runs={shownRuns}
        onMoreRuns={runs.hasNextPage ? () => void runs.fetchNextPage() : undefined}
        datasets={datasets.data}
        evaluations={evaluations.data}
        run={run.data}
        datasetId={datasetId}
        previous={previous.data}
      />
    )
  }
  return (
    <>
      <TopRow parents={parents} current="New" />
      <PageBody>
        <PageHeader title="New evaluation" within={component.name} />
        {hiddenReason && <Forbidden reason={hiddenReason} />}
        {failed && <QueryError query={failed} />}
        {isAllowed && !failed && !isReady && <Skeleton rows={8} />}
        {isAllowed && datasets.data?.length === 0 && (
          <EmptyState
            icon={Database}
            title="Nothing to evaluate yet"
            text="An evaluation goes through the items of a dataset. Create one from a file, from traces, or by hand."
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
      </PageBody>
    </>
  )
}
