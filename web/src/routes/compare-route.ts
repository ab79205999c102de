import { createRoute } from '@tanstack/react-router'
import { comparableRunsQuery } from '../api/comparison-query.ts'
import { componentQuery } from '../api/components-query.ts'
import { readCompare } from '../pages/compare/compare-search.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'

export const compareRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/compare',
  validateSearch: readCompare,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(applicationId, componentId)),
        // Does not throw: the page shows the reason.
        queryClient.prefetchQuery(comparableRunsQuery(applicationId, componentId)),
      ]),
    ),
  component: lazyPage(() => import('../pages/compare/compare-page.tsx'), 'ComparePage'),
})
