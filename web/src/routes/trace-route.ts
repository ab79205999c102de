import { createRoute, redirect } from '@tanstack/react-router'
import { outlineQuery, traceQuery } from '../api/traces-query.ts'
import { viewsQuery } from '../api/views-query.ts'
import { readTraceView } from '../pages/trace/trace-search.ts'
import { readTraceList } from '../pages/traces/trace-list-search.ts'
import { searchOf } from '../pages/traces/view-content.ts'
import { pagePaths } from '../path-builder.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'

export const tracesRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'traces',
  validateSearch: readTraceList,
  beforeLoad: async ({ context: { queryClient }, params: { applicationId }, search, cause }) => {
    const isBare = search.view && search.q === undefined && !search.sort && !search.cols
    if (!isBare || cause !== 'enter') return
    // An address with nothing but a view shows what the view has. A view that cannot be read shows all traces.
    const views = await queryClient.ensureQueryData(viewsQuery(applicationId)).catch(() => [])
    const view = views.find(({ id }) => id === search.view)
    if (view) {
      throw redirect({
        to: pagePaths.traces(applicationId),
        search: { ...search, ...searchOf(view) },
        replace: true,
      })
    }
  },
  component: lazyPage(() => import('../pages/traces/traces-page.tsx'), 'TracesPage'),
})

export const traceRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'traces/$traceId',
  validateSearch: readTraceView,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(() =>
      Promise.all([queryClient.ensureQueryData(traceQuery(params)), queryClient.ensureQueryData(outlineQuery(params))]),
    ),
  component: lazyPage(() => import('../pages/trace/trace-page.tsx'), 'TracePage'),
})
