import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import { Tooltip } from 'radix-ui'
import { useEffect } from 'react'
import { BareErrorPage, BareNotFoundPage } from '../pages/shell/bare-page.tsx'
import { listenToShortcuts } from '../shortcuts/shortcut-store.ts'
import { Toaster } from '../ui/toaster.tsx'

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
  return (
    <Tooltip.Provider delayDuration={300}>
      <Outlet />
      <Toaster />
    </Tooltip.Provider>
  )
}
