import { createRoute } from '@tanstack/react-router'
import { openapiQuery } from '../api/openapi-query.ts'
import { BareErrorPage } from '../pages/shell/bare-page.tsx'
import { lazyPage } from './lazy-page.ts'
import { rootRoute } from './root-route.tsx'
import { readText, type Search } from './search-params.ts'

export const docsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'docs',
  validateSearch: readQuery,
  loader: ({ context }) => context.queryClient.ensureQueryData(openapiQuery),
  errorComponent: BareErrorPage,
  component: lazyPage(() => import('../pages/docs/docs-page.tsx'), 'DocsPage'),
})

function readQuery(search: Search): { q: string | undefined } {
  return { q: readText(search['q']) }
}
