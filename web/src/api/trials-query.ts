import { keepPreviousData, type Query, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery, listQuery } from './api-query.ts'
import type { operations, TrialEstimate } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

export const TRIALS = '/components/{componentId}/trials'
export const TRIAL = `${TRIALS}/{trialId}` as const
export const TRIAL_FAILURES = `${TRIAL}/failures` as const
export const TRIAL_CALLS = `${TRIAL}/calls` as const

export interface TrialKey {
  applicationId: string
  componentId: string
  trialId: string
}

/** Everything that is read about the trials of an application: the list, their state, their calls and failures. */
export function allOfTrials(applicationId: string) {
  return {
    predicate: ({ queryKey: [, application, path] }: Query) =>
      application === applicationId && String(path).startsWith(TRIALS),
  }
}

/** The trials of a component, newest first. */
export function trialsQuery(applicationId: string, componentId: string) {
  return listQuery(TRIALS, { applicationId, params: { path: { componentId } } })
}

export function trialQuery({ applicationId, ...path }: TrialKey) {
  return apiQuery(TRIAL, { applicationId, params: { path } })
}

/** The failed calls by variant and reason. */
export function trialFailuresQuery({ applicationId, ...path }: TrialKey) {
  return { ...apiQuery(TRIAL_FAILURES, { applicationId, params: { path } }), placeholderData: keepPreviousData }
}

export function useCancelTrial(key: TrialKey) {
  return useTrialChange(key, (request) => dataOf(api.POST(`${TRIAL}/cancel`, request)))
}

export function useRetryTrial(key: TrialKey) {
  return useTrialChange(key, (request) => dataOf(api.POST(`${TRIAL}/retry`, request)))
}

export function useDeleteTrial(key: TrialKey) {
  return useTrialChange(key, (request) => dataOf(api.DELETE(TRIAL, request)))
}

function requestFor({ applicationId, componentId, trialId }: TrialKey) {
  return { ...inApplication(applicationId), params: { path: { componentId, trialId } } }
}

function useTrialChange<Result>(key: TrialKey, change: (request: ReturnType<typeof requestFor>) => Promise<Result>) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => change(requestFor(key)),
    onSuccess: () => queryClient.invalidateQueries(allOfTrials(key.applicationId)),
  })
}

export type NewTrial = NonNullable<
  operations['postComponentsByComponentIdTrials']['requestBody']
>['content']['application/json']

/** What a trial would cost, need and show. Nothing is stored, and no model is asked. */
export function trialEstimateQuery(applicationId: string, componentId: string, body: NewTrial | undefined) {
  return {
    queryKey: [...apiKey(TRIALS, applicationId), 'estimate', componentId, body ?? null],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<TrialEstimate | undefined> => {
      if (!body) return undefined
      const params = { path: { componentId }, query: { dry_run: true } }
      const estimate = await dataOf(api.POST(TRIALS, { ...inApplication(applicationId), params, body, signal }))
      // With dry_run, the response is an estimate.
      return 'byRepetitions' in estimate ? estimate : undefined
    },
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
  }
}

export function useStartTrial(applicationId: string, componentId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: async (body: NewTrial) => {
      const params = { path: { componentId } }
      const accepted = await dataOf(api.POST(TRIALS, { ...inApplication(applicationId), params, body }))
      // Without dry_run, the response is the trial.
      return 'id' in accepted ? accepted.id : undefined
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey(TRIALS, applicationId) }),
  })
}
