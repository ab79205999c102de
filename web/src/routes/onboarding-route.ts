import { createRoute } from '@tanstack/react-router'
import { componentsQuery } from '../api/components-query.ts'
import { exampleDataQuery, onboardingQuery } from '../api/onboarding-query.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'

export const onboardingRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'first-trace',
  loader: ({ context: { queryClient }, params: { applicationId } }) =>
    Promise.all([
      queryClient.ensureQueryData(onboardingQuery(applicationId)),
      queryClient.ensureQueryData(exampleDataQuery(applicationId)),
      queryClient.ensureInfiniteQueryData(componentsQuery(applicationId)),
    ]),
  component: lazyPage(() => import('../pages/onboarding/onboarding-page.tsx'), 'OnboardingPage'),
})
