import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson, requestNothing } from './api-client.ts'
import type { Workspace } from './generated/resources.ts'
import type { Page } from './page.ts'
import { useSubmission } from './use-submission.ts'

const pageSize = 100

/** All workspaces of the user: the switcher must find every one, and a user has few. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => listAllWorkspaces(signal),
  staleTime: 30_000,
})

export function useCreateWorkspace() {
  return useWorkspaceChange((body: { name: string; description?: string }) =>
    requestJson<Workspace>({ method: 'POST', path: apiPaths.workspaces(), body }),
  )
}

export function useUpdateWorkspace(workspaceId: string) {
  return useWorkspaceChange((body: { name: string; description: string | null }) =>
    requestJson<Workspace>({
      method: 'PATCH',
      path: apiPaths.workspace(workspaceId),
      applicationId: workspaceId,
      body,
    }),
  )
}

export function useDeleteWorkspace(workspaceId: string) {
  return useWorkspaceChange(() =>
    requestNothing({ method: 'DELETE', path: apiPaths.workspace(workspaceId), applicationId: workspaceId }),
  )
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
    const path = `${apiPaths.workspaces()}?limit=${pageSize}&offset=${workspaces.length}`
    const page = await requestJson<Page<Workspace>>({ path, signal })
    workspaces.push(...page.data)
    if (page.data.length < pageSize) return workspaces
  }
}
