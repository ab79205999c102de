import type { QueryClient } from '@tanstack/react-query'
import { createRoute, notFound, redirect } from '@tanstack/react-router'
import { hasStatus } from '../api/api-error.ts'
import { meQuery } from '../api/me-query.ts'
import { workspacesQuery } from '../api/workspaces-query.ts'
import { pagePaths } from '../path-builder.ts'
import { lazyPage } from './lazy-page.ts'
import { signedInRoute } from './signed-in-route.ts'

/** The parent of all pages of one application; the id in the path is sent as a header of every request. */
export const applicationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'a/$applicationId',
  beforeLoad: async ({ context, params }) => {
    if (!(await isMember(context.queryClient, params.applicationId))) throw notFound()
    await context.queryClient.ensureQueryData(meQuery(params.applicationId)).catch((error: unknown) => {
      // Every member has a role that may read this, so what is missing is the second factor.
      if (hasStatus(error, 403)) throw redirect({ to: pagePaths.factorRequired(params.applicationId), replace: true })
      throw error
    })
  },
})

export const factorRequiredRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'factor-required/$applicationId',
  component: lazyPage(() => import('../pages/applications/factor-required-page.tsx'), 'FactorRequiredPage'),
})

/**
 * Checked in the list, because the server responds with 401 to a user who is not a member, as to an anonymous caller.
 */
async function isMember(queryClient: QueryClient, applicationId: string): Promise<boolean> {
  const known = await queryClient.ensureQueryData(workspacesQuery)
  if (known.some(({ id }) => id === applicationId)) return true
  const fresh = await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 })
  return fresh.some(({ id }) => id === applicationId)
}
