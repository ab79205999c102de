import { QueryClientProvider, type QueryKey } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Fragment, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { onServerReturn } from './api/server-connection.ts'
import { dismissSessionEnd, endSession } from './api/session-end.ts'
import { sessionQuery } from './api/session-query.ts'
import { pagePaths } from './path-builder.ts'
import { createAppRouter } from './routes/app-router.ts'

/**
 * Shows the page of the current address in `element`. Returns a function that ends the interface. In development, the
 * strict mode of React renders everything twice; a built interface has nothing of it.
 */
export function startApp(element: HTMLElement, mode: 'strict' | 'as built' = 'strict'): () => void {
  const Mode = mode === 'strict' ? StrictMode : Fragment
  const queryClient = createQueryClient(() => void checkSession())
  const router = createAppRouter(queryClient)
  // Not the session: if it has ended meanwhile, the page must still know whose it was, and ask that user to sign in.
  const isOfPage = ({ queryKey }: { queryKey: QueryKey }) => queryKey[0] !== sessionQuery.queryKey[0]
  const stopListening = onServerReturn(() => void queryClient.invalidateQueries({ predicate: isOfPage }))
  const root = createRoot(element)
  root.render(
    <Mode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </Mode>,
  )

  /**
   * A 401 means either that the session ended, or that the user is no longer a member of the application. Only the
   * first is solved by signing in.
   */
  async function checkSession(): Promise<void> {
    // Under another key: the page still shows whose session it was. Without a response, the page shows the reason.
    const check = { ...sessionQuery, queryKey: ['session-check'], staleTime: 0 }
    const session = await queryClient.fetchQuery(check).catch(() => undefined)
    if (session !== null || router.latestLocation.pathname === pagePaths.signIn()) return
    if (queryClient.getQueryData(sessionQuery.queryKey)) endSession()
    else await router.navigate({ to: pagePaths.signIn(), search: { next: router.latestLocation.href } })
  }

  return () => {
    root.unmount()
    stopListening()
    dismissSessionEnd()
    router.history.destroy()
    queryClient.clear()
  }
}
