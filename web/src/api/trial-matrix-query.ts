import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { operations, TrialMatrix } from './generated/api.ts'
import { TRIAL, TRIAL_CALLS, type TrialKey } from './trials-query.ts'

export const TRIAL_MATRIX = `${TRIAL}/matrix` as const
export const TRIAL_CALL = `${TRIAL_CALLS}/{callId}` as const
const ITEMS_PER_PAGE = 20

type Parameters = NonNullable<operations['getComponentsByComponentIdTrialsByTrialIdMatrix']['parameters']['query']>

export type MatrixFilter = NonNullable<Parameters['filter']>
export type MatrixItem = TrialMatrix['data'][number]
export type MatrixCall = MatrixItem['calls'][number]
export type MatrixCounts = NonNullable<TrialMatrix['counts']>

interface Selection {
  filter: MatrixFilter | undefined
  /** The variant that is compared with the baseline. */
  candidate: string | undefined
  /** The number of the first item. */
  from: number | undefined
}

/** The items of a trial with all their calls, page by page. The counts are those of all items. */
export function trialMatrixQuery({ applicationId, ...path }: TrialKey, { filter, candidate, from }: Selection) {
  const chosen = { ...(filter && { filter }), ...(candidate && { candidate }), ...(from && { from }) }
  return infiniteQueryOptions({
    queryKey: [...apiKey(TRIAL_MATRIX, applicationId), path.trialId, 'pages', chosen],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...chosen, limit: ITEMS_PER_PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }
      return dataOf(api.GET(TRIAL_MATRIX, { ...inApplication(applicationId), params: { path, query }, signal }))
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    select: ({ pages: [first, ...others] }) =>
      first && { ...first, data: [first, ...others].flatMap(({ data }) => data) },
  })
}

/** The state or the score of each call as one character. */
export function compactMatrixQuery({ applicationId, ...path }: TrialKey) {
  const params = { path, query: { format: 'compact' as const } }
  return { ...apiQuery(TRIAL_MATRIX, { applicationId, params }), placeholderData: keepPreviousData }
}

export function trialCallQuery({ applicationId, ...path }: TrialKey, callId: number) {
  return apiQuery(TRIAL_CALL, { applicationId, params: { path: { ...path, callId: String(callId) } } })
}
