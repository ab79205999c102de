import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Me, Workspace } from '../../api/generated/api.ts'
import { meQuery } from '../../api/me-query.ts'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import type { Crumb } from './top-row.tsx'

export function useApplicationId(): string {
  return useParams({ from: '/_signed-in/a/$applicationId' }).applicationId
}

/** The application in the path. Undefined only in the moment after its deletion. */
export function useApplication(): Workspace | undefined {
  const applicationId = useApplicationId()
  const { data } = useQuery(workspacesQuery)
  return data?.find((workspace) => workspace.id === applicationId)
}

/** The application as the first entry of a breadcrumb. */
export function useApplicationCrumb(): Crumb {
  const applicationId = useApplicationId()
  return { label: useApplication()?.name ?? '', to: pagePaths.application(applicationId), isApplication: true }
}

export function useMe(): Me {
  return useSuspenseQuery(meQuery(useApplicationId())).data
}
