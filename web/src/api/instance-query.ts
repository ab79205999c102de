import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson } from './api-client.ts'
import type { Instance } from './generated/resources.ts'
import { useSubmission } from './use-submission.ts'

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: ({ signal }) => requestJson<Instance>({ path: apiPaths.instance(), signal }),
  staleTime: 60_000,
})

export interface FirstAccount {
  token: string
  name: string
  email: string
  password: string
}

/** Creates the first account of a new server. 401: the link is invalid or expired. 409: the account exists already. */
export function useSetUp() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: FirstAccount) =>
      requestJson<{ userId: string }>({ method: 'POST', path: apiPaths.setup(), body }),
    onSuccess: () => queryClient.removeQueries(instanceQuery),
    meta: { expects401: true },
  })
}
