import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import type { Retention } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

const CLEARING_MS = 2_000
/** A cleanup starts some minutes after the period is set. */
const IDLE_MS = 15_000

/** Fetched again while the page is open, to show the progress of a cleanup. */
export function retentionQuery(applicationId: string) {
  return {
    ...apiQuery('/retention', { applicationId }),
    refetchInterval: ({ state: { data } }: { state: { data: Retention | undefined } }) => {
      if (!data || (data.days === null && data.state === 'idle')) return false
      return data.state === 'clearing' ? CLEARING_MS : IDLE_MS
    },
  }
}

export function useSaveRetention(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    // Null keeps traces forever.
    mutationFn: (days: number | null) =>
      dataOf(api.PUT('/retention', { ...inApplication(applicationId), body: { days } })),
    onSuccess: (saved) => queryClient.setQueryData(retentionQuery(applicationId).queryKey, saved),
  })
}
