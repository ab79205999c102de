import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { sessionListQuery } from '../api/account-query.ts'
import { readAccount } from './search-params.ts'
import { signedInRoute } from './signed-in-route.ts'

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'account',
  validateSearch: readAccount,
  // Loaded before the page, so that an anchor leads to where its section stays. A failure is shown in the section.
  loader: ({ context: { queryClient } }) => queryClient.prefetchQuery(sessionListQuery),
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
})
