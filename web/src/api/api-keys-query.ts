import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, listQuery } from './api-query.ts'
import type { KeyRole } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

export function apiKeysQuery(applicationId: string) {
  return listQuery('/api-keys', { applicationId })
}

/** Without those of other members, which admins see otherwise. */
export function ownApiKeysQuery(applicationId: string) {
  return listQuery('/api-keys', { applicationId, params: { query: { mine: true } } })
}

export interface NewApiKey {
  name: string
  role: KeyRole
  /** Null for a key that does not expire. */
  expiresInDays: number | null
}

export function useCreateApiKey(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: NewApiKey) => dataOf(api.POST('/api-keys', { ...inApplication(applicationId), body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey('/api-keys', applicationId) }),
    // The response has the secret: it must not outlive the dialog that shows it.
    gcTime: 0,
  })
}

export function useRevokeApiKey(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (keyId: string) =>
      dataOf(api.DELETE('/api-keys/{keyId}', { ...inApplication(applicationId), params: { path: { keyId } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey('/api-keys', applicationId) }),
  })
}
