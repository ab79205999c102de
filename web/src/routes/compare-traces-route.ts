import { createRoute } from '@tanstack/react-router'
import { tracePreviewsQuery } from '../api/agreement-query.ts'
import { outlineQuery, traceLinksQuery, traceQuery } from '../api/traces-query.ts'
import { readCompareTraces } from '../pages/compare-traces/compare-traces-search.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'

export const compareTracesRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'traces/compare',
  validateSearch: readCompareTraces,
  loaderDeps: ({ search: { left, right } }) => ({ left, right }),
  loader: ({ context: { queryClient }, params: { applicationId }, deps: { left, right } }) =>
    loadOrNotFound(async () => {
      // The page says what is missing.
      if (left === undefined || right === undefined) return
      const keys = [left, right].map((traceId) => ({ applicationId, traceId }))
      const [traces] = await Promise.all([
        Promise.all(keys.map((key) => queryClient.ensureQueryData(traceQuery(key)))),
        Promise.all(keys.map((key) => queryClient.ensureQueryData(outlineQuery(key)))),
      ])
      const ids = traces.map(({ id }) => id).toSorted()
      // These do not throw: the page shows the reason.
      await Promise.all([
        queryClient.prefetchQuery(tracePreviewsQuery(applicationId, ids)),
        ...keys.map((key) => queryClient.prefetchQuery(traceLinksQuery(key))),
      ])
    }),
  component: lazyPage(() => import('../pages/compare-traces/compare-traces-page.tsx'), 'CompareTracesPage'),
})
