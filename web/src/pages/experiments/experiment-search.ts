import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Against } from '../../api/experiments-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { readText, type Search } from '../../routes/search-params.ts'

export const listStates = ['open', 'better', 'worse', 'unclear', 'tooFew', 'sealed', 'failed', 'canceled'] as const

export type ListState = (typeof listStates)[number]

export interface ExperimentListSearch {
  state: ListState | undefined
  /** Words of the name, the prompt or the dataset. */
  q: string | undefined
  /** Numbers without marks. */
  view: 'table' | undefined
}

export function readExperimentList(search: Search): ExperimentListSearch {
  return {
    state: listStates.find((known) => known === search['state']),
    q: readText(search['q']),
    view: search['view'] === 'table' ? 'table' : undefined,
  }
}

export interface ExperimentSearch {
  /** Whose prompt and items are shown; 0 is the start. Without one: the finalist, or the best so far. */
  proposal: number | undefined
  /** What it is compared with; the start by default. */
  against: Against | undefined
  /** The axis of the chart; over time by default. */
  by: 'cost' | undefined
  view: 'json' | 'table' | undefined
}

export function readExperimentSearch(search: Search): ExperimentSearch {
  const proposal = String(search['proposal'] ?? '')
  return {
    proposal: /^(0|[1-9]\d{0,6})$/.test(proposal) ? Number(proposal) : undefined,
    against: search['against'] === 'parent' ? 'parent' : undefined,
    by: search['by'] === 'cost' ? 'cost' : undefined,
    view: (['json', 'table'] as const).find((known) => known === search['view']),
  }
}

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/experiments/$experimentId')

export type ChangeExperimentSearch = (changes: Partial<ExperimentSearch>, history?: 'push' | 'replace') => void

/** What the address of the page selects, and how to change it. */
export function useExperimentSearch(): { search: ExperimentSearch; change: ChangeExperimentSearch } {
  const { applicationId, componentId, experimentId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const change: ChangeExperimentSearch = (changes, history = 'replace') =>
    void navigate({
      to: pagePaths.experiment(applicationId, componentId, experimentId),
      search: { ...search, ...changes },
      replace: history === 'replace',
      resetScroll: false,
    })
  return { search, change }
}
