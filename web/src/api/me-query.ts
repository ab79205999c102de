import { queryOptions } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson } from './api-client.ts'
import type { Me } from './generated/resources.ts'

/** The caller in one application, with the role. */
export function meQuery(applicationId: string) {
  return queryOptions({
    queryKey: ['application', applicationId, 'me'],
    queryFn: ({ signal }) => requestJson<Me>({ path: apiPaths.me(), applicationId, signal }),
    staleTime: 60_000,
  })
}
