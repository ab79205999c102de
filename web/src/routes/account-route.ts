import { createRoute } from '@tanstack/react-router'
import { sessionListQuery } from '../api/account-query.ts'
import { secondFactorQuery } from '../api/second-factor-query.ts'
import { lazyPage } from './lazy-page.ts'
import { readNew, readText, type Search } from './search-params.ts'
import { signedInRoute } from './signed-in-route.ts'

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'account',
  validateSearch: readAccount,
  // Loaded before the page, so that an anchor leads to where its section stays. A failure is shown in the section.
  loader: ({ context: { queryClient } }) =>
    Promise.all([queryClient.prefetchQuery(sessionListQuery), queryClient.prefetchQuery(secondFactorQuery)]),
  component: lazyPage(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
})

/** `?application=` selects whose keys the account page shows. */
function readAccount(search: Search): { application: string | undefined; new: true | undefined } {
  return { application: readText(search['application']), ...readNew(search) }
}
