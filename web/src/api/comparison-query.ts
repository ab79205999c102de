import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { operations, Preference, SavePreference } from './generated/api.ts'

const COMPARISONS = '/components/{componentId}/comparisons'
const PREFERENCES = '/components/{componentId}/comparisons/preferences'
const ROWS_PER_PAGE = 50
const PREFERENCES_PER_PAGE = 100
const RUNS_MAX = 100

type ComparisonParameters = operations['getComponentsByComponentIdComparisons']['parameters']['query']

export type RowFilter = NonNullable<ComparisonParameters['filter']>
export type SplitName = NonNullable<ComparisonParameters['split']>

/** Two runs, and which of their items are compared. */
export interface ComparedPair {
  applicationId: string
  componentId: string
  baseline: string
  candidate: string
  split: SplitName | undefined
}

/** The numbers of a comparison, without its items. */
export function comparisonQuery(pair: ComparedPair, margin: number | undefined) {
  const query = { ...selectionOf(pair), limit: 1, ...(margin !== undefined && { margin }) }
  const read = { applicationId: pair.applicationId, params: { path: { componentId: pair.componentId }, query } }
  return { ...apiQuery(COMPARISONS, read), placeholderData: keepPreviousData }
}

interface RowSelection {
  metric: string | undefined
  filter: RowFilter | undefined
}

/** The items page by page with their texts. The counts are those of all items. */
export function comparisonRowsQuery(pair: ComparedPair, { metric, filter }: RowSelection) {
  const { applicationId, componentId } = pair
  const selection = { ...selectionOf(pair), ...(metric && { metric }), ...(filter && { filter }) }
  return infiniteQueryOptions({
    queryKey: [...apiKey(COMPARISONS, applicationId), 'rows', componentId, selection],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...selection, include: 'texts', limit: ROWS_PER_PAGE, offset: pageParam }
      const params = { path: { componentId }, query }
      return dataOf(api.GET(COMPARISONS, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: 0,
    getNextPageParam: ({ data }, _pages, offset) =>
      data.length === ROWS_PER_PAGE ? offset + ROWS_PER_PAGE : undefined,
    select: ({ pages }) => ({
      rows: pages.flatMap(({ data }) => data),
      counts: pages[0]?.counts,
      total: pages[0]?.total ?? 0,
    }),
  })
}

/** The rows of one item with their whole texts. */
export function comparisonItemQuery(pair: ComparedPair, item: string) {
  const query = { ...selectionOf(pair), item, include: 'texts' }
  const read = { applicationId: pair.applicationId, params: { path: { componentId: pair.componentId }, query } }
  return apiQuery(COMPARISONS, read)
}

/** The row at this position. To judge a random sample, its positions are drawn at random. */
export function comparisonRowQuery(pair: ComparedPair, offset: number) {
  const query = { ...selectionOf(pair), include: 'texts', limit: 1, offset }
  const read = { applicationId: pair.applicationId, params: { path: { componentId: pair.componentId }, query } }
  return { ...apiQuery(COMPARISONS, read), staleTime: Number.POSITIVE_INFINITY }
}

export interface CandidateFamily {
  applicationId: string
  componentId: string
  baseline: string
  candidates: string[]
  metric: string | undefined
  margin: number | undefined
  split: SplitName | undefined
}

/** Several candidates, corrected for their number. A POST because of its list: it changes nothing. */
export function familyQuery({ applicationId, componentId, metric, margin, split, ...runs }: CandidateFamily) {
  const body = { ...runs, ...(metric && { metric }), ...(margin !== undefined && { margin }), ...(split && { split }) }
  return queryOptions({
    queryKey: [...apiKey(COMPARISONS, applicationId), 'family', componentId, body],
    queryFn: ({ signal }) => {
      const params = { path: { componentId } }
      return dataOf(api.POST(COMPARISONS, { ...inApplication(applicationId), params, body, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

/** The newest runs, with what the page shows of them. */
export function comparableRunsQuery(applicationId: string, componentId: string) {
  const params = { path: { componentId }, query: { limit: RUNS_MAX } }
  return apiQuery('/components/{componentId}/run-summaries', { applicationId, params })
}

export function preferenceResultQuery({ applicationId, componentId, baseline, candidate }: ComparedPair) {
  const params = { path: { componentId }, query: { baseline, candidate, limit: 1 } }
  return apiQuery(PREFERENCES, { applicationId, params })
}

/** All preferences of the user, so that none is asked for twice. */
export function ownPreferencesQuery({ applicationId, componentId, baseline, candidate }: ComparedPair) {
  return queryOptions({
    queryKey: [...apiKey(PREFERENCES, applicationId), 'mine', componentId, baseline, candidate],
    queryFn: async ({ signal }) => {
      const own: Preference[] = []
      while (true) {
        const query = { baseline, candidate, mine: true, limit: PREFERENCES_PER_PAGE, offset: own.length }
        const params = { path: { componentId }, query }
        const { data } = await dataOf(api.GET(PREFERENCES, { ...inApplication(applicationId), params, signal }))
        own.push(...data)
        if (data.length < PREFERENCES_PER_PAGE) return own
      }
    },
    // Read once: the page knows what the user adds.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Not a submission: the key of the next pair may be pressed while the last one is being saved. */
export function useSavePreference({ applicationId, componentId, baseline, candidate }: ComparedPair) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (preference: Omit<SavePreference, 'baseline' | 'candidate'>) => {
      const params = { path: { componentId } }
      const body = { baseline, candidate, ...preference }
      return dataOf(api.PUT(PREFERENCES, { ...inApplication(applicationId), params, body }))
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey(PREFERENCES, applicationId) }),
  })
}

function selectionOf({ baseline, candidate, split }: ComparedPair) {
  return { baseline, candidate, ...(split && { split }) }
}
