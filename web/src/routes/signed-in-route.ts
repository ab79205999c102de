import { createRoute } from '@tanstack/react-router'
import { workspacesQuery } from '../api/workspaces-query.ts'
import { BareErrorPage } from '../pages/shell/bare-page.tsx'
import { SignedInLayout, SignedInNotFoundPage } from '../pages/shell/signed-in-layout.tsx'
import { requireSession } from './require-session.ts'
import { rootRoute } from './root-route.tsx'

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_signed-in',
  beforeLoad: async ({ context, location }) => {
    await requireSession(context.queryClient, location.href)
    await context.queryClient.ensureQueryData(workspacesQuery)
  },
  component: SignedInLayout,
  // Both replace the layout instead of rendering inside of it.
  notFoundComponent: SignedInNotFoundPage,
  errorComponent: BareErrorPage,
})
