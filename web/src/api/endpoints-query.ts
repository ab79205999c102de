import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, listQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

export function endpointsQuery(applicationId: string) {
  return listQuery('/endpoints', { applicationId })
}

export interface EndpointSettings {
  name: string
  baseUrl: string
  concurrency: number
  /** Null without a limit. */
  requestsPerMinute: number | null
  timeoutSeconds: number
}

export interface EndpointTestInput {
  body: unknown
  input?: unknown
  /** A JSON Pointer. */
  output: string
}

export function useCreateEndpoint(applicationId: string) {
  return useSubmission({
    mutationFn: (body: EndpointSettings & { headers: Record<string, string> }) =>
      dataOf(api.POST('/endpoints', { ...inApplication(applicationId), body })),
    onSuccess: useRefreshEndpoints(applicationId),
    // The request has the headers: they must not outlive the dialog.
    gcTime: 0,
  })
}

export function useUpdateEndpoint(applicationId: string, endpointId: string) {
  return useSubmission({
    // The server keeps the headers that are not named, unless the base URL changes. Null removes one.
    mutationFn: (body: Partial<EndpointSettings> & { headers?: Record<string, string | null> }) =>
      dataOf(api.PATCH('/endpoints/{endpointId}', { ...onEndpoint(applicationId, endpointId), body })),
    onSuccess: useRefreshEndpoints(applicationId),
    gcTime: 0,
  })
}

export function useDeleteEndpoint(applicationId: string, endpointId: string) {
  return useSubmission({
    mutationFn: () => dataOf(api.DELETE('/endpoints/{endpointId}', onEndpoint(applicationId, endpointId))),
    onSuccess: useRefreshEndpoints(applicationId),
  })
}

export function useTestEndpoint(applicationId: string, endpointId: string) {
  return useSubmission({
    mutationFn: (body: EndpointTestInput) =>
      dataOf(api.POST('/endpoints/{endpointId}/test', { ...onEndpoint(applicationId, endpointId), body })),
  })
}

function onEndpoint(applicationId: string, endpointId: string) {
  return { ...inApplication(applicationId), params: { path: { endpointId } } }
}

function useRefreshEndpoints(applicationId: string) {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: apiKey('/endpoints', applicationId) })
}
