import { createRoute } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { datasetContentsQuery, itemRowsFilter, itemRowsQuery } from '../api/item-rows-query.ts'
import { datasetQuery, runQuery } from '../api/run-query.ts'
import { readAgreement } from '../pages/agreement/agreement-search.ts'
import { readDataset } from '../pages/datasets/dataset-search.ts'
import { readRun } from '../pages/runs/run-search.ts'
import { readTrends } from '../pages/trends/trends-search.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readId, type Search } from './search-params.ts'

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
  component: lazyPage(() => import('../pages/runs/run-page.tsx'), 'RunPage'),
})

export const runListRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/runs',
  validateSearch: readRunList,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/runs/run-list-page.tsx'), 'RunListPage'),
})

export const trendsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/compare/trends',
  validateSearch: readTrends,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/trends/trends-page.tsx'), 'TrendsPage'),
})

export const datasetRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/datasets/$datasetId',
  validateSearch: readDataset,
  loader: ({ context: { queryClient }, params, location }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        queryClient.ensureQueryData(datasetQuery(params)),
        // Do not throw: the page shows why each failed. Without them, what follows would move when they arrive.
        queryClient.prefetchQuery(datasetContentsQuery(params)),
        queryClient.prefetchInfiniteQuery(itemRowsQuery(params, itemRowsFilter(readDataset(location.search)))),
      ]),
    ),
  component: lazyPage(() => import('../pages/datasets/dataset-page.tsx'), 'DatasetPage'),
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
  component: lazyPage(() => import('../pages/agreement/dataset-agreement-page.tsx'), 'DatasetAgreementPage'),
})

/** `?dataset=` lists the runs of one dataset. */
function readRunList(search: Search): { dataset: string | undefined } {
  return { dataset: readId(search['dataset']) }
}
