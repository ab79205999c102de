import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Me, Workspace } from '../../api/generated/api.ts'
import { meQuery } from '../../api/me-query.ts'
import { workspacesQuery } from '../../api/workspaces-query.ts'

export function useApplicationId(): string {
  return useParams({ from: '/_signed-in/a/$applicationId' }).applicationId
}

/** The application in the path. Undefined only in the moment after its deletion. */
export function useApplication(): Workspace | undefined {
  const applicationId = useApplicationId()
  const { data } = useQuery(workspacesQuery)
  return data?.find((workspace) => workspace.id === applicationId)
}

export function useMe(): Me {
  return useSuspenseQuery(meQuery(useApplicationId())).data
}
