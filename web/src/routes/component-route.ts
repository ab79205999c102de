import { createRoute, redirect } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { type ComponentPart, componentParts, componentTraces, pagePaths } from '../path-builder.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readNew, readPeriod, type Search } from './search-params.ts'

export const componentsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'components',
  validateSearch: readNew,
  component: lazyPage(() => import('../pages/components/components-page.tsx'), 'ComponentsPage'),
})

export const componentRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId',
  validateSearch: (search: Record<string, unknown>) => ({
    ...readTab(search),
    ...readPeriod(search),
  }),
  beforeLoad: ({ params: { applicationId, componentId }, search: { tab } }) => {
    if (tab) throw redirect({ to: pagePaths.componentPart(applicationId, componentId, tab), replace: true })
  },
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/components/component-page.tsx'), 'ComponentPage'),
})

export const datasetListRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/datasets',
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/datasets/dataset-list-page.tsx'), 'DatasetListPage'),
})

/** The list of traces has filters of its own, so the component becomes one of them. */
export const componentTracesRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/traces',
  loader: async ({ context: { queryClient }, params: { applicationId, componentId } }) => {
    const component = componentQuery(applicationId, componentId)
    await loadOrNotFound(() => queryClient.ensureQueryData(component))
    const q = componentTraces(await queryClient.ensureQueryData(component))
    throw redirect({ to: pagePaths.traces(applicationId), search: { q }, replace: true })
  },
})

/** The former address of a component. */
export const oldComponentRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'components/$componentId',
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: pagePaths.component(params.applicationId, params.componentId), search, replace: true })
  },
})

/** They were pages next to the comparison. */
export const oldDecisionsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/decisions',
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: pagePaths.decisions(params.applicationId, params.componentId), search, replace: true })
  },
})

export const oldTrendsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/trends',
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: pagePaths.trends(params.applicationId, params.componentId), search, replace: true })
  },
})

/** `?tab=runs` is the former address of a part of a component. */
function readTab(search: Search): { tab: ComponentPart | undefined } {
  return { tab: componentParts.find((known) => known === search['tab']) }
}
