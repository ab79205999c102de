import { createRoute } from '@tanstack/react-router'
import { componentQuery, evaluationQuery } from '../api/components-query.ts'
import { caseCountsQuery, evaluationSummaryQuery, scoreSummaryQuery } from '../api/evaluation-query.ts'
import { comparedMetric } from '../pages/evaluations/evaluation-results.ts'
import { readEvaluation } from '../pages/evaluations/evaluation-search.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'

export const evaluationsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/evaluations',
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/evaluations/evaluations-page.tsx'), 'EvaluationsPage'),
})

export const evaluationRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/evaluations/$evaluationId',
  validateSearch: readEvaluation,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(async () => {
      const [evaluation] = await Promise.all([
        queryClient.ensureQueryData(evaluationQuery(params)),
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        // These do not throw: the page shows what it has. Loaded later, they would move it.
        queryClient.prefetchQuery(evaluationSummaryQuery(params)),
        queryClient.prefetchQuery(scoreSummaryQuery(params, 'error')),
        queryClient.prefetchQuery(scoreSummaryQuery(params, 'value')),
      ])
      const metric = comparedMetric(evaluation)?.name
      if (metric !== undefined) await queryClient.prefetchQuery(caseCountsQuery(params, metric))
    }),
  component: lazyPage(() => import('../pages/evaluations/evaluation-page.tsx'), 'EvaluationPage'),
})
