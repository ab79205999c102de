import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readNew } from './search-params.ts'
import { signedInRoute } from './signed-in-route.ts'

export const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: readNew,
  component: lazyRouteComponent(() => import('../pages/applications/applications-page.tsx'), 'ApplicationsPage'),
})
