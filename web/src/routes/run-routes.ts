import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { datasetQuery, runQuery } from '../api/run-query.ts'
import { applicationRoute } from './application-route.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readAgreement, readRun } from './search-params.ts'

export const runRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/runs/$runId',
  validateSearch: readRun,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(async () => {
      const [{ datasetId }] = await Promise.all([
        queryClient.ensureQueryData(runQuery(params)),
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
      ])
      // Does not throw: the page shows the run without the name of its dataset, too.
      await queryClient.prefetchQuery(datasetQuery({ ...params, datasetId }))
    }),
  component: lazyRouteComponent(() => import('../pages/runs/run-page.tsx'), 'RunPage'),
})

export const datasetAgreementRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/datasets/$datasetId/agreement',
  validateSearch: readAgreement,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        queryClient.ensureQueryData(datasetQuery(params)),
      ]),
    ),
  component: lazyRouteComponent(() => import('../pages/agreement/dataset-agreement-page.tsx'), 'DatasetAgreementPage'),
})
