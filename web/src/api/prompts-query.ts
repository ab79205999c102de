import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { hasStatus } from './api-error.ts'
import { apiKey, apiQuery, listQuery } from './api-query.ts'

export interface ComponentKey {
  applicationId: string
  componentId: string
}

export interface PromptKey extends ComponentKey {
  promptId: string
}

const COMPONENT = '/components/{componentId}'
const PROMPT = `${COMPONENT}/prompts/{promptId}` as const
const PAGE_SIZE = 100

/** The prompts of a component, by name. */
export function promptListQuery(applicationId: string, componentId: string) {
  return listQuery(`${COMPONENT}/prompts`, { applicationId, params: { path: { componentId } } })
}

export function promptQuery({ applicationId, ...path }: PromptKey) {
  return apiQuery(PROMPT, { applicationId, params: { path } })
}

/** Without their contents, newest first, page by page. */
export function promptVersionsQuery({ applicationId, ...path }: PromptKey) {
  return infiniteQueryOptions({
    queryKey: [...apiKey(`${PROMPT}/versions`, applicationId), path],
    queryFn: ({ pageParam, signal }) => {
      const params = { path, query: { limit: PAGE_SIZE, ...pageParam } }
      return dataOf(api.GET(`${PROMPT}/versions`, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: nextPage,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

export function promptVersionQuery({ applicationId, ...path }: PromptKey, number: number) {
  const params = { path: { ...path, number: String(number) } }
  return apiQuery(`${PROMPT}/versions/{number}`, { applicationId, params })
}

/** Several at once, by their numbers; null for those that were deleted. Versions never change. */
export function promptVersionsByNumberQuery(key: PromptKey, numbers: readonly number[]) {
  const { applicationId, ...path } = key
  return queryOptions({
    queryKey: [...apiKey(`${PROMPT}/versions/{number}`, applicationId), path, numbers],
    queryFn: async ({ client }) => {
      const read = (number: number) =>
        client.ensureQueryData(promptVersionQuery(key, number)).catch((error: unknown) => {
          if (hasStatus(error, 404)) return null
          throw error
        })
      return new Map(await Promise.all(numbers.map(async (number) => [number, await read(number)] as const)))
    },
    placeholderData: keepPreviousData,
  })
}

export function promptLabelsQuery({ applicationId, ...path }: PromptKey) {
  return apiQuery(`${PROMPT}/labels`, { applicationId, params: { path } })
}

export function promptDiffQuery({ applicationId, ...path }: PromptKey, versions: { from: number; to: number }) {
  return {
    ...apiQuery(`${PROMPT}/diff`, { applicationId, params: { path, query: versions } }),
    placeholderData: keepPreviousData,
  }
}

/** What the labels of a prompt served in the last 30 days, newest first. */
export function promptLiveQuery({ applicationId, ...path }: PromptKey) {
  return apiQuery(`${PROMPT}/live`, { applicationId, params: { path, query: { limit: PAGE_SIZE } } })
}

/** The newest evaluated run of each version on a dataset, by one metric. */
export function promptResultsQuery(
  { applicationId, ...path }: PromptKey,
  { datasetId, metric }: { datasetId: string; metric: string | undefined },
) {
  const query = { datasetId, limit: PAGE_SIZE, ...(metric && { metric }) }
  return {
    ...apiQuery(`${PROMPT}/results`, { applicationId, params: { path, query } }),
    placeholderData: keepPreviousData,
  }
}

interface SummaryChoice {
  days: number
  metric: string | undefined
}

/** How the prompts of a component were used in production, and how good they were, page by page. */
export function promptSummariesQuery({ applicationId, componentId }: ComponentKey, { days, metric }: SummaryChoice) {
  const choice = { days, ...(metric && { metric }) }
  return infiniteQueryOptions({
    queryKey: [...apiKey(`${COMPONENT}/prompt-summaries`, applicationId), componentId, choice, 'pages'],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { componentId }, query: { limit: PAGE_SIZE, ...choice, ...pageParam } }
      return dataOf(api.GET(`${COMPONENT}/prompt-summaries`, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: nextPage,
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({ prompts: pages.flatMap(({ data }) => data), first: pages[0] }),
  })
}

/** What the page of a prompt shows. */
export const PROMPT_PAGE_NUMBERS: SummaryChoice = { days: 30, metric: undefined }

/** The numbers of one prompt. */
export function promptSummaryQuery({ applicationId, componentId, promptId }: PromptKey, choice: SummaryChoice) {
  const query = { prompt_id: promptId, days: choice.days, ...(choice.metric && { metric: choice.metric }) }
  return {
    ...apiQuery(`${COMPONENT}/prompt-summaries`, { applicationId, params: { path: { componentId }, query } }),
    placeholderData: keepPreviousData,
  }
}

/** Saved versions and moved labels of all prompts of a component, newest first, page by page. */
export function promptChangesQuery({ applicationId, componentId }: ComponentKey) {
  return infiniteQueryOptions({
    queryKey: [...apiKey(`${COMPONENT}/prompt-changes`, applicationId), componentId],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { componentId }, query: { limit: 8, ...pageParam } }
      return dataOf(api.GET(`${COMPONENT}/prompt-changes`, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: nextPage,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

/** Reads all that pages show of prompts again: a save or a moved label changes most of it. */
export function refreshPrompts(queryClient: QueryClient, applicationId: string): Promise<void> {
  return queryClient.invalidateQueries({
    queryKey: ['application', applicationId],
    predicate: ({ queryKey: [, , path] }) => typeof path === 'string' && path.startsWith(`${COMPONENT}/prompt`),
  })
}

function nextPage({ nextCursor }: { nextCursor: string | null }): { cursor?: string } | undefined {
  return nextCursor === null ? undefined : { cursor: nextCursor }
}
