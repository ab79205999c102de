import { createRoute } from '@tanstack/react-router'
import { lazyPage } from './lazy-page.ts'
import { readNew } from './search-params.ts'
import { signedInRoute } from './signed-in-route.ts'

export const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: readNew,
  component: lazyPage(() => import('../pages/applications/applications-page.tsx'), 'ApplicationsPage'),
})
