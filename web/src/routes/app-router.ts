import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { ErrorPage } from '../pages/shell/error-page.tsx'
import { NotFoundPage } from '../pages/shell/not-found-page.tsx'
import { PendingPage } from '../pages/shell/pending-page.tsx'
import { accountRoute } from './account-route.ts'
import { annotateRoute, workRoute } from './annotate-route.ts'
import { applicationRoute, factorRequiredRoute } from './application-route.ts'
import { compareRoute } from './compare-route.ts'
import { compareTracesRoute } from './compare-traces-route.ts'
import {
  componentRoute,
  componentsRoute,
  componentTracesRoute,
  datasetListRoute,
  oldComponentRoute,
  oldDecisionsRoute,
  oldTrendsRoute,
} from './component-route.ts'
import { decisionsRoute } from './decisions-route.ts'
import { docsRoute } from './docs-route.ts'
import { entryRoutes } from './entry-routes.ts'
import { evaluationRoute, evaluationsRoute } from './evaluation-route.ts'
import { experimentListRoute, experimentRoute, newExperimentRoute } from './experiment-routes.ts'
import { homeRoute } from './home-route.ts'
import { importRoute } from './import-route.ts'
import { newEvaluationRoute } from './new-evaluation-route.ts'
import { onboardingRoute } from './onboarding-route.ts'
import { overviewRoute } from './overview-route.ts'
import { playgroundRoute, promptDeployRoute, promptRoute, promptsRoute } from './prompt-routes.ts'
import { rootRoute } from './root-route.tsx'
import { datasetAgreementRoute, datasetRoute, runListRoute, runRoute, trendsRoute } from './run-routes.ts'
import { parseSearch, stringifySearch } from './search-params.ts'
import { settingsRoutes } from './settings-routes.ts'
import { signedInRoute } from './signed-in-route.ts'
import { traceRoute, tracesRoute } from './trace-route.ts'
import { newTrialRoute, trialListRoute, trialRoute } from './trial-routes.ts'

const routeTree = rootRoute.addChildren([
  entryRoutes,
  docsRoute,
  signedInRoute.addChildren([
    homeRoute,
    accountRoute,
    factorRequiredRoute,
    applicationRoute.addChildren([
      overviewRoute,
      componentsRoute,
      componentRoute,
      compareRoute,
      datasetListRoute,
      componentTracesRoute,
      oldComponentRoute,
      oldDecisionsRoute,
      oldTrendsRoute,
      evaluationsRoute,
      newEvaluationRoute,
      evaluationRoute,
      runRoute,
      runListRoute,
      trendsRoute,
      datasetRoute,
      datasetAgreementRoute,
      decisionsRoute,
      importRoute,
      promptsRoute,
      promptRoute,
      experimentListRoute,
      newExperimentRoute,
      experimentRoute,
      trialListRoute,
      newTrialRoute,
      trialRoute,
      promptDeployRoute,
      playgroundRoute,
      tracesRoute,
      compareTracesRoute,
      traceRoute,
      annotateRoute,
      workRoute,
      onboardingRoute,
      settingsRoutes,
    ]),
  ]),
])

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // The query cache manages staleness.
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 200,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (fromLocation && pathChanged) focusMain()
  })
  return router
}

/**
 * After a navigation, keyboard and screen reader start at the new content, unless it has taken the focus itself, or a dialog or menu has it
 * that was opened while the page was loading.
 */
function focusMain(): void {
  const main = document.querySelector('main')
  const focused = document.activeElement
  if (main?.contains(focused) || focused?.closest('[role=dialog], [role=menu]')) return
  main?.focus({ preventScroll: true })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
  interface StaticDataRouteOption {
    /** The page has no navigation at its side. */
    isFullScreen?: true
  }
}
