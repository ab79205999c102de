import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { sessionQuery } from './api/session-query.ts'
import { pagePaths } from './path-builder.ts'
import { createAppRouter } from './routes/app-router.ts'

/** Shows the page of the current address in `element`. Returns a function that ends the interface. */
export function startApp(element: HTMLElement): () => void {
  const queryClient = createQueryClient(() => void leaveIfSignedOut())
  const router = createAppRouter(queryClient)
  const root = createRoot(element)
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )

  /**
   * A 401 means either that the session expired, or that the user is no longer a member of the application. Only the
   * first is solved by signing in; redirecting in the second case would loop between the two pages.
   */
  async function leaveIfSignedOut(): Promise<void> {
    const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    if (session || router.latestLocation.pathname === pagePaths.signIn()) return
    await router.navigate({ to: pagePaths.signIn(), search: { next: router.latestLocation.href } })
  }

  return () => {
    root.unmount()
    router.history.destroy()
    queryClient.clear()
  }
}
