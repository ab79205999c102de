import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'

/** Where a user goes after signing in: the requested page, else the list of applications, which goes on to the only one. */
export function useRedirectAfterSignIn() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async (next?: string) => {
    if (next) return navigate({ href: next, replace: true })
    await queryClient.fetchQuery(workspacesQuery)
    return navigate({ href: pagePaths.home(), replace: true })
  }
}
