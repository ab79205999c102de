import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import type { operations, Rating } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

export function ratingSchemeQuery(applicationId: string) {
  return apiQuery('/rating-scheme', { applicationId })
}

/** How a rating is shown. */
export type RatingLook = Pick<Rating, 'value' | 'color'> & { label: string }

/** Returns a function from a stored rating to its look. A rating that the scheme no longer has is shown as it is. */
export function useRatingLook(applicationId: string): (value: string) => RatingLook {
  const { data: scheme } = useQuery(ratingSchemeQuery(applicationId))
  return useCallback(
    (value) => {
      const rating = scheme?.ratings.find((known) => known.value === value)
      return { value, label: rating?.label ?? value, color: rating?.color ?? null }
    },
    [scheme],
  )
}

type SchemeBody = operations['putRatingScheme']['requestBody']['content']['application/json']

export function useSaveRatingScheme(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: SchemeBody) => dataOf(api.PUT('/rating-scheme', { ...inApplication(applicationId), body })),
    onSuccess: (saved) => queryClient.setQueryData(ratingSchemeQuery(applicationId).queryKey, saved),
  })
}
