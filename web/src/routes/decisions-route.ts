import { createRoute } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readId, type Search } from './search-params.ts'

export const decisionsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/compare/decisions',
  validateSearch: readDecision,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/decisions/decisions-page.tsx'), 'DecisionsPage'),
})

/** `?decision=` is the decision in the panel next to the list. */
function readDecision(search: Search): { decision: string | undefined } {
  return { decision: readId(search['decision']) }
}
