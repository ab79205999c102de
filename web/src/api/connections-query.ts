import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, listQuery } from './api-query.ts'
import type { Connection } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

export function connectionsQuery(applicationId: string) {
  return listQuery('/connections', { applicationId })
}

export interface ConnectionSettings {
  name: string
  kind: Connection['kind']
  baseUrl: string
  models: string[]
  retirements: Connection['retirements']
  concurrency: number
  /** Null without a limit. */
  requestsPerMinute: number | null
}

export function useCreateConnection(applicationId: string) {
  return useSubmission({
    mutationFn: (body: ConnectionSettings & { apiKey?: string }) =>
      dataOf(api.POST('/connections', { ...inApplication(applicationId), body: withBaseUrl(body) })),
    onSuccess: useRefreshConnections(applicationId),
    // The request has the key: it must not outlive the dialog.
    gcTime: 0,
  })
}

export function useUpdateConnection(applicationId: string, connectionId: string) {
  return useSubmission({
    // Without a key, the server keeps the old one, unless the base URL changes. Null removes it.
    mutationFn: (body: Partial<ConnectionSettings> & { apiKey?: string | null }) =>
      dataOf(api.PATCH('/connections/{connectionId}', { ...onConnection(applicationId, connectionId), body })),
    onSuccess: useRefreshConnections(applicationId),
    gcTime: 0,
  })
}

export function useDeleteConnection(applicationId: string, connectionId: string) {
  return useSubmission({
    mutationFn: () => dataOf(api.DELETE('/connections/{connectionId}', onConnection(applicationId, connectionId))),
    onSuccess: useRefreshConnections(applicationId),
  })
}

export function useTestConnection(applicationId: string, connectionId: string) {
  return useSubmission({
    mutationFn: () => dataOf(api.POST('/connections/{connectionId}/test', onConnection(applicationId, connectionId))),
  })
}

/** Without one, the server uses that of the provider. */
function withBaseUrl<Body extends { baseUrl: string }>({ baseUrl, ...body }: Body) {
  return { ...body, ...(baseUrl !== '' && { baseUrl }) }
}

function onConnection(applicationId: string, connectionId: string) {
  return { ...inApplication(applicationId), params: { path: { connectionId } } }
}

function useRefreshConnections(applicationId: string) {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: apiKey('/connections', applicationId) })
}
