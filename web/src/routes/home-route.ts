import { createRoute, redirect } from '@tanstack/react-router'
import { workspacesQuery } from '../api/workspaces-query.ts'
import { pagePaths } from '../path-builder.ts'
import { lazyPage } from './lazy-page.ts'
import { readNew } from './search-params.ts'
import { signedInRoute } from './signed-in-route.ts'

export const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: readNew,
  /** A list of one application would only be a step on the way to it. */
  beforeLoad: async ({ context, search }) => {
    const [only, ...others] = await context.queryClient.ensureQueryData(workspacesQuery)
    if (only && others.length === 0 && !search.new)
      throw redirect({ to: pagePaths.application(only.id), replace: true })
  },
  component: lazyPage(() => import('../pages/applications/applications-page.tsx'), 'ApplicationsPage'),
})
