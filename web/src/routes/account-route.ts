import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { sessionListQuery } from '../api/account-query.ts'
import { secondFactorQuery } from '../api/second-factor-query.ts'
import { readAccount } from './search-params.ts'
import { signedInRoute } from './signed-in-route.ts'

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'account',
  validateSearch: readAccount,
  // Loaded before the page, so that an anchor leads to where its section stays. A failure is shown in the section.
  loader: ({ context: { queryClient } }) =>
    Promise.all([queryClient.prefetchQuery(sessionListQuery), queryClient.prefetchQuery(secondFactorQuery)]),
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
})
