import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import type { Workspace } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

const pageSize = 100

/** All workspaces of the user: the switcher must find every one, and a user has few. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => listAllWorkspaces(signal),
  staleTime: 30_000,
})

export function useCreateWorkspace() {
  return useWorkspaceChange((body: { name: string; description?: string }) => dataOf(api.POST('/workspaces', { body })))
}

export function useUpdateWorkspace(workspaceId: string) {
  return useWorkspaceChange((body: { name: string; description: string | null }) =>
    dataOf(api.PATCH('/workspaces/{workspaceId}', { ...onWorkspace(workspaceId), body })),
  )
}

export function useDeleteWorkspace(workspaceId: string) {
  return useWorkspaceChange(() => dataOf(api.DELETE('/workspaces/{workspaceId}', onWorkspace(workspaceId))))
}

function onWorkspace(workspaceId: string) {
  return { ...inApplication(workspaceId), params: { path: { workspaceId } } }
}

function useWorkspaceChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: change,
    // Awaited: the next page looks up the workspace in this list.
    onSuccess: () => queryClient.invalidateQueries({ ...workspacesQuery, refetchType: 'all' }),
  })
}

async function listAllWorkspaces(signal: AbortSignal): Promise<Workspace[]> {
  const workspaces: Workspace[] = []
  while (true) {
    const query = { limit: pageSize, offset: workspaces.length }
    const page = await dataOf(api.GET('/workspaces', { params: { query }, signal }))
    workspaces.push(...page.data)
    if (page.data.length < pageSize) return workspaces
  }
}
