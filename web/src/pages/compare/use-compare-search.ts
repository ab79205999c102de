import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import type { CompareSearch } from './compare-search.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/compare')

export type ChangeSearch = (changes: Partial<CompareSearch>, history?: 'push' | 'replace') => void

/** What the address of the page selects, and how to change it. */
export function useCompareSearch() {
  const { applicationId, componentId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const change: ChangeSearch = (changes, history = 'push') =>
    void navigate({
      to: pagePaths.compare(applicationId, componentId),
      search: { ...search, ...changes },
      replace: history === 'replace',
      resetScroll: false,
    })
  return { applicationId, componentId, search, change }
}
