import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { MatrixFilter } from '../../api/trial-matrix-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { readText, type Search } from '../../routes/search-params.ts'

/** In the order of the page. */
export const matrixFilters = ['worse', 'better', 'same', 'unscored', 'flips', 'failed', 'waiting'] as const

export interface TrialSearch {
  filter: MatrixFilter | undefined
  /** The variant that is compared with the baseline. */
  candidate: string | undefined
  /** The number of the first item of the list. */
  from: number | undefined
  /** The call whose answer is shown, by its number. */
  call: number | undefined
  view: 'json' | undefined
}

export function readTrialSearch(search: Search): TrialSearch {
  return {
    filter: matrixFilters.find((known) => known === search['filter']),
    candidate: readText(search['candidate'])?.slice(0, 200),
    from: readCount(search['from']),
    call: readCount(search['call']),
    view: search['view'] === 'json' ? 'json' : undefined,
  }
}

function readCount(value: unknown): number | undefined {
  const text = String(value ?? '')
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
}

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/trials/$trialId')

export type ChangeTrialSearch = (changes: Partial<TrialSearch>, history?: 'push' | 'replace') => void

/** What the address of the page selects, and how to change it. */
export function useTrialSearch(): { search: TrialSearch; change: ChangeTrialSearch } {
  const { applicationId, componentId, trialId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const change: ChangeTrialSearch = (changes, history = 'replace') =>
    void navigate({
      to: pagePaths.trial(applicationId, componentId, trialId),
      search: { ...search, ...changes },
      replace: history === 'replace',
      resetScroll: false,
    })
  return { search, change }
}
