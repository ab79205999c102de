import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, listQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

export function pricesQuery(applicationId: string) {
  return listQuery('/prices', { applicationId })
}

/** US dollars for a million tokens. Null: as other input tokens, any provider, or any time. */
export interface NewPrice {
  modelPattern: string
  provider: string | null
  inputPerMillion: number
  outputPerMillion: number
  cacheReadPerMillion: number | null
  cacheWritePerMillion: number | null
  validFrom: string | null
  validUntil: string | null
}

export function useCreatePrice(applicationId: string) {
  return useSubmission({
    mutationFn: (body: NewPrice) => dataOf(api.POST('/prices', { ...inApplication(applicationId), body })),
    onSuccess: useRefreshPrices(applicationId),
  })
}

export function useDeletePrice(applicationId: string) {
  return useSubmission({
    mutationFn: (priceId: string) =>
      dataOf(api.DELETE('/prices/{priceId}', { ...inApplication(applicationId), params: { path: { priceId } } })),
    onSuccess: useRefreshPrices(applicationId),
  })
}

/** Starts a job for the traces that started after this time; null for all. */
export function useRepriceTraces(applicationId: string) {
  return useSubmission({
    mutationFn: (startAfter: string | null) =>
      dataOf(api.POST('/traces/reprice', { ...inApplication(applicationId), body: { startAfter } })),
  })
}

function useRefreshPrices(applicationId: string) {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: apiKey('/prices', applicationId) })
}
