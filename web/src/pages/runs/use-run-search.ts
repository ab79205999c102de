import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import type { RunSearch } from './run-search.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/runs/$runId')

/** What the address of a run page selects, and how to change it. */
export function useRunSearch() {
  const { applicationId, componentId, runId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (changes: Partial<RunSearch>, history: 'push' | 'replace' = 'push') =>
    void navigate({
      to: pagePaths.run(applicationId, componentId, runId),
      search: { ...search, ...changes },
      replace: history === 'replace',
      resetScroll: false,
    })
  return { search, change }
}
