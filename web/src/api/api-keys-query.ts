import { useQueryClient } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson, requestNothing } from './api-client.ts'
import type { ApiKey, CreatedApiKey, KeyRole } from './generated/resources.ts'
import { pagedQuery } from './paged-query.ts'
import { useSubmission } from './use-submission.ts'

export function apiKeysQuery(applicationId: string) {
  return pagedQuery<ApiKey>({ key: ['api-keys'], path: apiPaths.apiKeys(), applicationId })
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
    mutationFn: (body: NewApiKey) =>
      requestJson<CreatedApiKey>({ method: 'POST', path: apiPaths.apiKeys(), applicationId, body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKeysQuery(applicationId).queryKey }),
    // The response has the secret: it must not outlive the dialog that shows it.
    gcTime: 0,
  })
}

export function useRevokeApiKey(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (keyId: string) => requestNothing({ method: 'DELETE', path: apiPaths.apiKey(keyId), applicationId }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKeysQuery(applicationId).queryKey }),
  })
}
