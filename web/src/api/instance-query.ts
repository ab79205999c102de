import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

export const instanceQuery = { ...apiQuery('/instance', {}), staleTime: 60_000, meta: { expects401: true } }

export interface FirstAccount {
  token: string
  /** "Admin" if absent. */
  name?: string
  email: string
  password: string
}

/** Creates the first account of a new server. 401: the link is invalid or expired. 409: the account exists already. */
export function useSetUp() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: FirstAccount) => dataOf(api.POST('/setup', { body })),
    onSuccess: () => queryClient.removeQueries(instanceQuery),
    meta: { expects401: true },
  })
}
