import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery, listQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

export function componentsQuery(applicationId: string) {
  return listQuery('/components', { applicationId })
}

export function componentQuery(applicationId: string, componentId: string) {
  return apiQuery('/components/{componentId}', { applicationId, params: { path: { componentId } } })
}

export function datasetsQuery(applicationId: string, componentId: string) {
  return listQuery('/components/{componentId}/datasets', { applicationId, params: { path: { componentId } } })
}

export function runsQuery(applicationId: string, componentId: string) {
  return listQuery('/components/{componentId}/runs', { applicationId, params: { path: { componentId } } })
}

export interface EvaluationKey {
  applicationId: string
  componentId: string
  evaluationId: string
}

export function evaluationQuery({ applicationId, ...path }: EvaluationKey) {
  return apiQuery('/components/{componentId}/evaluations/{evaluationId}', { applicationId, params: { path } })
}

export function useCreateComponent(applicationId: string) {
  return useComponentChange(applicationId, (body: { name: string; description?: string }) =>
    dataOf(api.POST('/components', { ...inApplication(applicationId), body })),
  )
}

export function useDeleteComponent(applicationId: string) {
  return useComponentChange(applicationId, (componentId: string) =>
    dataOf(
      api.DELETE('/components/{componentId}', { ...inApplication(applicationId), params: { path: { componentId } } }),
    ),
  )
}

function useComponentChange<Input, Result>(applicationId: string, change: (input: Input) => Promise<Result>) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: change,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey('/components', applicationId) }),
  })
}
