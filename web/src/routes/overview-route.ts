import type { QueryClient } from '@tanstack/react-query'
import { createRoute, redirect } from '@tanstack/react-router'
import { onboardingQuery } from '../api/onboarding-query.ts'
import { componentSummariesQuery, type Period } from '../api/overview-query.ts'
import { pagePaths } from '../path-builder.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { readPeriod } from './search-params.ts'

/** The first page of an application. Without components and traces there is nothing to look at, but something to connect. */
export const overviewRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/',
  validateSearch: readPeriod,
  loaderDeps: ({ search: { period } }) => ({ period }),
  loader: async ({ context: { queryClient }, params: { applicationId }, deps: { period = '7d' } }) => {
    if (await isEmpty(queryClient, applicationId, period)) {
      throw redirect({ to: pagePaths.firstTrace(applicationId), replace: true })
    }
  },
  component: lazyPage(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
})

async function isEmpty(queryClient: QueryClient, applicationId: string, period: Period): Promise<boolean> {
  const { pages } = await queryClient.ensureInfiniteQueryData(componentSummariesQuery(applicationId, period))
  if (pages.some(({ data }) => data.length > 0)) return false
  const { firstTrace } = await queryClient.fetchQuery(onboardingQuery(applicationId))
  return firstTrace === null
}
