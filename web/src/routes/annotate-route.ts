import { createRoute } from '@tanstack/react-router'
import type { ChosenOrder } from '../api/queue-query.ts'
import { runQuery } from '../api/run-query.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readText, type Search } from './search-params.ts'

export const workRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'work',
  component: lazyPage(() => import('../pages/work/work-page.tsx'), 'WorkPage'),
})

export const annotateRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/runs/$runId/annotate',
  validateSearch: readSearch,
  staticData: { isFullScreen: true },
  loader: ({ context, params }) => loadOrNotFound(() => context.queryClient.ensureQueryData(runQuery(params))),
  component: lazyPage(() => import('../pages/annotate/annotate-page.tsx'), 'AnnotatePage'),
})

/** `?item=` is the trace on the annotation page, `?order=information` an order other than the random one. */
function readSearch(search: Search): { item: string | undefined; order: ChosenOrder } {
  return { item: readText(search['item']), order: search['order'] === 'information' ? 'information' : undefined }
}
