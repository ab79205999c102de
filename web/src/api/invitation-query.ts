import { queryOptions, useMutation } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson } from './api-client.ts'
import type { Invitation } from './generated/resources.ts'

export function invitationQuery(token: string) {
  return queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) =>
      requestJson<Invitation>({ method: 'POST', path: apiPaths.lookUpInvitation(), body: { token }, signal }),
    meta: { expects401: true },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useAcceptInvitation() {
  return useMutation({
    mutationFn: (body: { token: string; name: string; password: string }) =>
      requestJson<{ workspaceId: string }>({ method: 'POST', path: apiPaths.acceptInvitation(), body }),
    meta: { expects401: true },
  })
}
