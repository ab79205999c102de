import { infiniteQueryOptions, keepPreviousData, type Query, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { ExperimentEstimate, operations } from './generated/api.ts'
import type { DatasetKey } from './run-query.ts'
import { useSubmission } from './use-submission.ts'

const EXPERIMENTS = '/components/{componentId}/experiments'
export const EXPERIMENT = `${EXPERIMENTS}/{experimentId}` as const
export const EXPERIMENT_COURSE = `${EXPERIMENT}/course` as const
export const EXPERIMENT_RESULTS = `${EXPERIMENT}/results` as const
export const EXPERIMENT_SUMMARIES = '/components/{componentId}/experiment-summaries'
const ITERATION = `${EXPERIMENT}/iterations/{iteration}` as const
const ROWS_PER_PAGE = 50

export interface ExperimentKey {
  applicationId: string
  componentId: string
  experimentId: string
}

export type Against = 'start' | 'parent'

/** Everything that is read about the experiments of an application. */
export function allOfExperiments(applicationId: string) {
  return {
    predicate: ({ queryKey: [, application, path] }: Query) =>
      application === applicationId && (String(path).startsWith(EXPERIMENTS) || path === EXPERIMENT_SUMMARIES),
  }
}

/** The experiments of a component, newest first, and the test splits of their datasets. */
export function experimentListQuery(applicationId: string, componentId: string) {
  return infiniteQueryOptions({
    queryKey: [...apiKey(EXPERIMENT_SUMMARIES, applicationId), componentId, 'pages'],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: ROWS_PER_PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }
      const params = { path: { componentId }, query }
      return dataOf(api.GET(EXPERIMENT_SUMMARIES, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    select: ({ pages }) => {
      const splits = new Map(pages.flatMap((page) => page.splits.map((split) => [split.datasetId, split] as const)))
      return { rows: pages.flatMap(({ data }) => data), splits: [...splits.values()] }
    },
  })
}

export function experimentQuery({ applicationId, ...path }: ExperimentKey) {
  return apiQuery(EXPERIMENT, { applicationId, params: { path } })
}

export function experimentCourseQuery({ applicationId, ...path }: ExperimentKey) {
  return { ...apiQuery(EXPERIMENT_COURSE, { applicationId, params: { path } }), placeholderData: keepPreviousData }
}

export function experimentResultsQuery({ applicationId, ...path }: ExperimentKey) {
  return { ...apiQuery(EXPERIMENT_RESULTS, { applicationId, params: { path } }), placeholderData: keepPreviousData }
}

export function iterationQuery({ applicationId, ...path }: ExperimentKey, iteration: number, against: Against) {
  const params = { path: { ...path, iteration: String(iteration) }, query: { against } }
  return { ...apiQuery(ITERATION, { applicationId, params }), placeholderData: keepPreviousData }
}

export function iterationDiffQuery({ applicationId, ...path }: ExperimentKey, iteration: number, against: Against) {
  const params = { path: { ...path, iteration: String(iteration) }, query: { against } }
  return { ...apiQuery(`${ITERATION}/diff`, { applicationId, params }), placeholderData: keepPreviousData }
}

function requestFor({ applicationId, ...path }: ExperimentKey) {
  return { ...inApplication(applicationId), params: { path } }
}

function useChange<Result, Input = void>(
  key: ExperimentKey,
  change: (request: ReturnType<typeof requestFor>, input: Input) => Promise<Result>,
) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (input: Input) => change(requestFor(key), input),
    onSuccess: () => queryClient.invalidateQueries(allOfExperiments(key.applicationId)),
  })
}

export function useStartExperiment(key: ExperimentKey) {
  return useChange(key, (request) => dataOf(api.POST(`${EXPERIMENT}/start`, request)))
}

export function useStopExperiment(key: ExperimentKey) {
  return useChange(key, (request) => dataOf(api.POST(`${EXPERIMENT}/stop`, request)))
}

export function useCancelExperiment(key: ExperimentKey) {
  return useChange(key, (request) => dataOf(api.POST(`${EXPERIMENT}/cancel`, request)))
}

export function useResumeExperiment(key: ExperimentKey) {
  return useChange(key, (request) => dataOf(api.POST(`${EXPERIMENT}/resume`, { ...request, body: {} })))
}

export function useDeleteExperiment(key: ExperimentKey) {
  return useChange(key, (request) => dataOf(api.DELETE(EXPERIMENT, request)))
}

/** Returns the version, which may have been there before. */
export function useSaveIteration(key: ExperimentKey) {
  return useChange(key, ({ params, ...request }, iteration: number) => {
    const path = { ...params.path, iteration: String(iteration) }
    return dataOf(api.POST(`${ITERATION}/version`, { ...request, params: { path } }))
  })
}

export type NewExperiment = NonNullable<
  operations['postComponentsByComponentIdExperiments']['requestBody']
>['content']['application/json']

/** What an experiment would cost, need and show. Nothing is stored, and no model is asked. */
export function experimentEstimateQuery(applicationId: string, componentId: string, body: NewExperiment | undefined) {
  return {
    queryKey: [...apiKey(EXPERIMENTS, applicationId), 'estimate', componentId, body ?? null],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<ExperimentEstimate | undefined> => {
      if (!body) return undefined
      const params = { path: { componentId }, query: { dry_run: true } }
      const estimate = await dataOf(api.POST(EXPERIMENTS, { ...inApplication(applicationId), params, body, signal }))
      // With dry_run, the response is an estimate.
      return 'proposals' in estimate ? estimate : undefined
    },
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
  }
}

/** One proposal on 8 training items. No experiment is stored; the signal stops it, also at the server. */
export function useTryProposal(applicationId: string, componentId: string) {
  return useSubmission({
    mutationFn: ({ body, signal }: { body: NewExperiment; signal: AbortSignal }) => {
      const params = { path: { componentId } }
      return dataOf(api.POST(`${EXPERIMENTS}/preview`, { ...inApplication(applicationId), params, body, signal }))
    },
  })
}

const TEST_SPLIT = '/components/{componentId}/datasets/{datasetId}/test-split'

/** How often the test split has decided, and whether a new one can be drawn. */
export function testSplitQuery({ applicationId, ...path }: DatasetKey) {
  return apiQuery(TEST_SPLIT, { applicationId, params: { path } })
}

export function useDrawTestSplit({ applicationId, ...path }: DatasetKey) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => dataOf(api.POST(TEST_SPLIT, { ...inApplication(applicationId), params: { path } })),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries(allOfExperiments(applicationId)),
        queryClient.invalidateQueries({ queryKey: apiKey(TEST_SPLIT, applicationId) }),
      ]),
  })
}

/** Creates an experiment and starts it. Returns its id. If the start is rejected, the experiment waits on its page. */
export function useCreateExperiment(applicationId: string, componentId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: async (body: NewExperiment) => {
      const request = inApplication(applicationId)
      const created = await dataOf(api.POST(EXPERIMENTS, { ...request, params: { path: { componentId } }, body }))
      // Without dry_run, the response is the experiment.
      if (!('id' in created)) return undefined
      const path = { componentId, experimentId: created.id }
      await dataOf(api.POST(`${EXPERIMENT}/start`, { ...request, params: { path } })).catch(() => undefined)
      return created.id
    },
    onSuccess: () => queryClient.invalidateQueries(allOfExperiments(applicationId)),
  })
}
