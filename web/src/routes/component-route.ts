import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router'
import { hasStatus } from '../api/api-error.ts'
import { componentQuery } from '../api/components-query.ts'
import { applicationRoute } from './application-route.ts'
import { readNew, readTab } from './search-params.ts'

export const componentsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'components',
  validateSearch: readNew,
  component: lazyRouteComponent(() => import('../pages/components/components-page.tsx'), 'ComponentsPage'),
})

export const componentRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'components/$componentId',
  validateSearch: readTab,
  loader: async ({ context, params }) => {
    try {
      await context.queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId))
    } catch (error) {
      // 400: the id in the path has an invalid format.
      if (hasStatus(error, 400, 404)) throw notFound()
      throw error
    }
  },
  component: lazyRouteComponent(() => import('../pages/components/component-page.tsx'), 'ComponentPage'),
})
