import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import { Tooltip } from 'radix-ui'
import { lazy, Suspense, useEffect } from 'react'
import { loadPart } from '../api/server-connection.ts'
import { useSessionHasEnded } from '../api/session-end.ts'
import { BareErrorPage, BareNotFoundPage } from '../pages/shell/bare-page.tsx'
import { ConnectionNotice } from '../pages/shell/connection-notice.tsx'
import { listenToShortcuts } from '../shortcuts/shortcut-store.ts'
import { Toaster } from '../ui/toaster.tsx'

const SessionEndDialog = lazy(async () => ({
  default: (await loadPart(() => import('../pages/shell/session-end-dialog.tsx'))).SessionEndDialog,
}))

export interface RouterContext {
  queryClient: QueryClient
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  notFoundComponent: BareNotFoundPage,
  errorComponent: BareErrorPage,
})

function Root() {
  useEffect(listenToShortcuts, [])
  const hasSessionEnded = useSessionHasEnded()
  return (
    <Tooltip.Provider delayDuration={300}>
      <Outlet />
      <Toaster />
      <ConnectionNotice />
      {hasSessionEnded && (
        <Suspense>
          <SessionEndDialog />
        </Suspense>
      )}
    </Tooltip.Provider>
  )
}
