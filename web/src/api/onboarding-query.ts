import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

const POLL_MS = 10_000

/** Traces are announced by live events. Rejected keys are not, and the first use of a key, so it is also read again from time to time. */
export function onboardingQuery(applicationId: string) {
  return { ...apiQuery('/onboarding', { applicationId }), refetchInterval: POLL_MS }
}

export function useSendTestTrace(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => dataOf(api.POST('/onboarding/test-trace', inApplication(applicationId))),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey('/onboarding', applicationId) }),
  })
}

export function exampleDataQuery(applicationId: string) {
  return apiQuery('/example-data', { applicationId })
}

export function useLoadExampleData(applicationId: string) {
  return useExampleDataChange(applicationId, () => dataOf(api.POST('/example-data', inApplication(applicationId))))
}

export function useRemoveExampleData(applicationId: string) {
  return useExampleDataChange(applicationId, () => dataOf(api.DELETE('/example-data', inApplication(applicationId))))
}

function useExampleDataChange<Result>(applicationId: string, change: () => Promise<Result>) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: apiKey('/example-data', applicationId) }),
        queryClient.invalidateQueries({ queryKey: apiKey('/components', applicationId) }),
      ]),
  })
}
