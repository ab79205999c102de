import { createRoute } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { experimentCourseQuery, experimentQuery, experimentResultsQuery } from '../api/experiments-query.ts'
import { readExperimentList, readExperimentSearch } from '../pages/experiments/experiment-search.ts'
import { readNewExperiment } from '../pages/new-experiment/new-experiment-search.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'

export const experimentListRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/experiments',
  validateSearch: readExperimentList,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/experiments/experiment-list-page.tsx'), 'ExperimentListPage'),
})

export const experimentRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/experiments/$experimentId',
  validateSearch: readExperimentSearch,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(experimentQuery(params)),
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        // Do not throw: the page shows what it has. Loaded later, they would move it.
        queryClient.prefetchQuery(experimentCourseQuery(params)),
        queryClient.prefetchQuery(experimentResultsQuery(params)),
      ]),
    ),
  component: lazyPage(() => import('../pages/experiments/experiment-page.tsx'), 'ExperimentPage'),
})

export const newExperimentRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/experiments/new',
  validateSearch: readNewExperiment,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/new-experiment/new-experiment-page.tsx'), 'NewExperimentPage'),
})
