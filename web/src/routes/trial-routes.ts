import { createRoute } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { datasetQuery } from '../api/run-query.ts'
import { trialFailuresQuery, trialQuery } from '../api/trials-query.ts'
import { readNewTrial } from '../pages/new-trial/new-trial-search.ts'
import { readTrialSearch } from '../pages/trials/trial-search.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'

export const trialListRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/trials',
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/trials/trial-list-page.tsx'), 'TrialListPage'),
})

export const trialRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/trials/$trialId',
  validateSearch: readTrialSearch,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(async () => {
      const [{ datasetId }] = await Promise.all([
        queryClient.ensureQueryData(trialQuery(params)),
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        // Do not throw: the page shows what it has. Loaded later, they would move it.
        queryClient.prefetchQuery(trialFailuresQuery(params)),
      ])
      await queryClient.prefetchQuery(datasetQuery({ ...params, datasetId }))
    }),
  component: lazyPage(() => import('../pages/trials/trial-page.tsx'), 'TrialPage'),
})

export const newTrialRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/trials/new',
  validateSearch: readNewTrial,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/new-trial/new-trial-page.tsx'), 'NewTrialPage'),
})
