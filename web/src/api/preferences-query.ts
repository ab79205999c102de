import { useMutation, useQueryClient } from '@tanstack/react-query'
import { showToast } from '../ui/toast-store.ts'
import { api, dataOf } from './api-client.ts'
import { describeError } from './api-error.ts'
import { apiQuery } from './api-query.ts'
import type { Preferences } from './generated/api.ts'

/** What the user has chosen on any device. Read once per visit: a choice on another device must not change this page while it is used. */
export const preferencesQuery = { ...apiQuery('/me/preferences', {}), staleTime: Number.POSITIVE_INFINITY }

const mutationKey = ['preferences']

export function useChangePreferences() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationKey,
    // One after the other, so that the last of several quick choices is the one that stays.
    scope: { id: 'preferences' },
    mutationFn: (body: Preferences) => dataOf(api.PATCH('/me/preferences', { body })),
    onMutate: async (change) => {
      // A response that is under way has the choice from before.
      await queryClient.cancelQueries(preferencesQuery)
      queryClient.setQueryData(preferencesQuery.queryKey, (before) => before && { ...before, ...change })
    },
    onError: reportUnsaved,
    onSettled: async () => {
      if (queryClient.isMutating({ mutationKey }) === 1) await queryClient.invalidateQueries(preferencesQuery)
    },
  })
}

function reportUnsaved(error: Error): void {
  const described = describeError(error)
  const message = `Your choice was not saved in your account. ${described.message}`
  showToast({ tone: 'danger', ...described, message })
}
