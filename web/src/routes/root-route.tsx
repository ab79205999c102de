import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { loadPart } from '../api/server-connection.ts'
import { useSessionHasEnded } from '../api/session-end.ts'
import { BareErrorPage, BareNotFoundPage } from '../pages/shell/bare-page.tsx'
import { ConnectionNotice } from '../pages/shell/connection-notice.tsx'
import { listenToShortcuts } from '../shortcuts/shortcut-store.ts'
import { floatingPart } from '../ui/floating.ts'
import { Toaster, toastCardsPart } from '../ui/toaster.tsx'

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
  useEffect(loadLaterParts, [])
  const hasSessionEnded = useSessionHasEnded()
  return (
    <>
      <Outlet />
      <Toaster />
      <ConnectionNotice />
      {hasSessionEnded && (
        <Suspense>
          <SessionEndDialog />
        </Suspense>
      )}
    </>
  )
}

/** After the page is shown, so that the first click of a menu waits for nothing. A failure is reported by `loadPart`. */
function loadLaterParts() {
  for (const part of [floatingPart, toastCardsPart]) void loadPart(part.load).catch(() => undefined)
}
