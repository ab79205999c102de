import { useMutation, useQueryClient } from '@tanstack/react-query'
import { showToast } from '../ui/toast-store.ts'
import { api, dataOf } from './api-client.ts'
import { describeError } from './api-error.ts'
import { apiQuery } from './api-query.ts'

/** What the interface remembers of a user in all applications. The server stores any object. */
interface KnownPreferences {
  /** Pixels. */
  rowHeight?: 32 | 40
  /** Ids of the columns of the list of traces. */
  traceColumns?: string[]
}

export const preferencesQuery = {
  ...apiQuery('/me/preferences', {}),
  staleTime: 300_000,
  select: readPreferences,
}

/** The change is visible at once; the next page load needs the server's copy. */
export function useChangePreferences() {
  const queryClient = useQueryClient()
  const { queryKey } = preferencesQuery
  return useMutation({
    // One after the other: the last choice must be stored last.
    scope: { id: 'preferences' },
    mutationFn: (body: KnownPreferences & Record<string, unknown>) => dataOf(api.PATCH('/me/preferences', { body })),
    onMutate: (change) => queryClient.setQueryData(queryKey, (old) => ({ ...old, ...change })),
    onError: (error) =>
      showToast({
        ...describeError(error),
        tone: 'danger',
        message: `Not remembered: ${describeError(error).message}`,
      }),
  })
}

function readPreferences(stored: Record<string, unknown>): KnownPreferences {
  const { rowHeight, traceColumns } = stored
  return {
    ...((rowHeight === 32 || rowHeight === 40) && { rowHeight }),
    ...(Array.isArray(traceColumns) && { traceColumns: traceColumns.filter((id) => typeof id === 'string') }),
  }
}
