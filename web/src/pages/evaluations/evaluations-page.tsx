import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import { apiKey } from '../../api/api-query.ts'
import { evaluationSummariesQuery, SUMMARIES } from '../../api/evaluation-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ComponentFrame } from '../components/component-frame.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { EvaluationTable } from './evaluation-table.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/evaluations')

/** The evaluations of a component, newest first. */
export function EvaluationsPage() {
  const ids = route.useParams()
  const { applicationId, componentId } = ids
  const query = useInfiniteQuery(evaluationSummariesQuery(applicationId, componentId))
  useLiveQuery(applicationId, ['evaluations'], apiKey(SUMMARIES, applicationId))
  const canStart = hasRole(useMe().role, 'editor')
  const start = canStart && (
    <Link to={pagePaths.newEvaluation(applicationId, componentId)} className={buttonClass('primary')}>
      New evaluation
    </Link>
  )
  const isEmpty = query.data?.length === 0
  return (
    <ComponentFrame {...ids} part="Evaluations" actions={!isEmpty && start}>
      <h2 className="sr-only">Evaluations</h2>
      <PagedList
        query={query}
        empty={
          <EmptyState
            icon={Scale}
            title="No evaluation yet"
            text="An evaluation scores a dataset, or one run of it, with rules or a model as the judge."
            action={start}
          />
        }
      >
        {(rows) => <EvaluationTable {...ids} rows={rows} />}
      </PagedList>
    </ComponentFrame>
  )
}
