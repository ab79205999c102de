import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { applicationRoute } from './application-route.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readNewEvaluation } from './search-params.ts'

export const newEvaluationRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/evaluations/new',
  validateSearch: readNewEvaluation,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyRouteComponent(() => import('../pages/new-evaluation/new-evaluation-page.tsx'), 'NewEvaluationPage'),
})
