import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'

/** Where a user goes after signing in: the requested page, else their only application, else the list. */
export function useRedirectAfterSignIn() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async (next?: string) => {
    if (next) return navigate({ href: next, replace: true })
    const workspaces = await queryClient.fetchQuery(workspacesQuery)
    const [only] = workspaces
    const isOnly = only && workspaces.length === 1
    return navigate({ href: isOnly ? pagePaths.application(only.id) : pagePaths.home(), replace: true })
  }
}
