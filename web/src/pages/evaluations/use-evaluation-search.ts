import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { CaseFilter } from '../../api/evaluation-query.ts'
import { pagePaths } from '../../path-builder.ts'
import type { CaseState, EvaluationSearch } from './evaluation-search.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/evaluations/$evaluationId')

/** What the address of an evaluation selects, and how to change it. */
export function useEvaluationSearch() {
  const { applicationId, componentId, evaluationId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (changes: Partial<EvaluationSearch>, history: 'push' | 'replace' = 'push') =>
    void navigate({
      to: pagePaths.evaluation(applicationId, componentId, evaluationId),
      search: { ...search, ...changes },
      replace: history === 'replace',
      resetScroll: false,
    })
  /** Lists other cases, and shows them. */
  const openCases = (changes: Partial<EvaluationSearch>) => {
    change({ ...NO_FILTER, ...changes })
    document.getElementById(CASES_ID)?.scrollIntoView({ block: 'start' })
  }
  return { search, change, openCases }
}

export type OpenCases = ReturnType<typeof useEvaluationSearch>['openCases']

export const CASES_ID = 'cases'

export const NO_FILTER = {
  metric: undefined,
  state: undefined,
  error: undefined,
  sort: undefined,
  score: undefined,
} satisfies EvaluationSearch

const filters: Record<CaseState, CaseFilter> = {
  passed: { passed: true },
  not_passed: { passed: false },
  failed: { states: 'failed' },
  skipped: { states: 'skipped' },
  retrying: { states: 'retrying' },
  waiting: { states: 'queued,running,retrying' },
}

export function caseFilterOf({ metric, state, error, sort }: EvaluationSearch): CaseFilter {
  return {
    ...(metric !== undefined && { metric }),
    ...(state && filters[state]),
    ...(error !== undefined && { error }),
    // The API sorts by the score of one metric.
    ...(sort && metric !== undefined && error === undefined && { sort }),
  }
}
