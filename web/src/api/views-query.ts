import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'
import type { operations, View } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

/** The largest page of the API. */
const PAGE_SIZE = 100

/** All saved views that the user may see: the menu must not miss one. Another page can exist only if the last one was full. */
export function viewsQuery(applicationId: string) {
  return {
    queryKey: apiKey('/views', applicationId),
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<View[]> => {
      const views: View[] = []
      for (;;) {
        const params = { query: { limit: PAGE_SIZE, offset: views.length } }
        const page = await dataOf(api.GET('/views', { ...inApplication(applicationId), params, signal }))
        views.push(...page.data)
        if (page.data.length < PAGE_SIZE) return views
      }
    },
    staleTime: 60_000,
  }
}

type NewView = operations['postViews']['requestBody']['content']['application/json']
type ViewChange = operations['patchViewsByViewId']['requestBody']['content']['application/json']

export function useCreateView(applicationId: string) {
  return useViewChange(applicationId, (body: NewView) =>
    dataOf(api.POST('/views', { ...inApplication(applicationId), body })),
  )
}

export function useChangeView(applicationId: string) {
  return useViewChange(applicationId, ({ viewId, change }: { viewId: string; change: ViewChange }) =>
    dataOf(
      api.PATCH('/views/{viewId}', { ...inApplication(applicationId), params: { path: { viewId } }, body: change }),
    ),
  )
}

export function useDeleteView(applicationId: string) {
  return useViewChange(applicationId, (viewId: string) =>
    dataOf(api.DELETE('/views/{viewId}', { ...inApplication(applicationId), params: { path: { viewId } } })),
  )
}

function useViewChange<Input, Result>(applicationId: string, change: (input: Input) => Promise<Result>) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: change,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey('/views', applicationId) }),
  })
}
