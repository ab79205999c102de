import { createRoute } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readId, type Search } from './search-params.ts'

export const newEvaluationRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/evaluations/new',
  validateSearch: readNewEvaluation,
  loader: ({ context: { queryClient }, params: { applicationId, componentId } }) =>
    loadOrNotFound(() => queryClient.ensureQueryData(componentQuery(applicationId, componentId))),
  component: lazyPage(() => import('../pages/new-evaluation/new-evaluation-page.tsx'), 'NewEvaluationPage'),
})

/** What a new evaluation starts with: a run, a dataset, or an evaluation that is repeated; and how it is edited. */
interface NewEvaluationSearch {
  run: string | undefined
  dataset: string | undefined
  from: string | undefined
  view: 'json' | undefined
}

function readNewEvaluation(search: Search): NewEvaluationSearch {
  return {
    run: readId(search['run']),
    dataset: readId(search['dataset']),
    from: readId(search['from']),
    view: search['view'] === 'json' ? 'json' : undefined,
  }
}
