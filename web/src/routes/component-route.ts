import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { pagePaths } from '../path-builder.ts'
import { applicationRoute } from './application-route.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readNew, readTab } from './search-params.ts'

export const componentsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'components',
  validateSearch: readNew,
  component: lazyRouteComponent(() => import('../pages/components/components-page.tsx'), 'ComponentsPage'),
})

export const componentRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId',
  validateSearch: readTab,
  loader: ({ context, params }) =>
    loadOrNotFound(() => context.queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId))),
  component: lazyRouteComponent(() => import('../pages/components/component-page.tsx'), 'ComponentPage'),
})

/** The former address of a component. */
export const oldComponentRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'components/$componentId',
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: pagePaths.component(params.applicationId, params.componentId), search, replace: true })
  },
})
