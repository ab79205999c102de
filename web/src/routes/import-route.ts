import { createRoute } from '@tanstack/react-router'
import { componentQuery } from '../api/components-query.ts'
import { datasetQuery } from '../api/run-query.ts'
import { applicationRoute } from './application-route.ts'
import { lazyPage } from './lazy-page.ts'
import { loadOrNotFound } from './load-or-not-found.ts'
import { readId, type Search } from './search-params.ts'

export const importRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: 'c/$componentId/datasets/$datasetId/import',
  validateSearch: readImport,
  loader: ({ context: { queryClient }, params }) =>
    loadOrNotFound(() =>
      Promise.all([
        queryClient.ensureQueryData(componentQuery(params.applicationId, params.componentId)),
        queryClient.ensureQueryData(datasetQuery(params)),
      ]),
    ),
  component: lazyPage(() => import('../pages/import/import-page.tsx'), 'ImportPage'),
})

/** The step of an import, and the import that is shown when it is done. */
function readImport(search: Search): { step: 'columns' | 'check' | undefined; import: string | undefined } {
  const step = search['step']
  return { step: step === 'columns' || step === 'check' ? step : undefined, import: readId(search['import']) }
}
