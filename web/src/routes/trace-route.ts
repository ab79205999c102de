import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { outlineQuery, traceQuery } from '../api/traces-query.ts'
import { applicationRoute } from './application-route.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readTraceList, readTraceView } from './search-params.ts'

export const tracesRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'traces',
  validateSearch: readTraceList,
  component: lazyRouteComponent(() => import('../pages/traces/traces-page.tsx'), 'TracesPage'),
})

export const traceRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'traces/$traceId',
  validateSearch: readTraceView,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(() =>
      Promise.all([queryClient.ensureQueryData(traceQuery(params)), queryClient.ensureQueryData(outlineQuery(params))]),
    ),
  component: lazyRouteComponent(() => import('../pages/trace/trace-page.tsx'), 'TracePage'),
})
