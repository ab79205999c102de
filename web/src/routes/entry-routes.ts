import { createRoute, redirect } from '@tanstack/react-router'
import { instanceQuery } from '../api/instance-query.ts'
import { sessionQuery } from '../api/session-query.ts'
import { EntryLayout } from '../pages/shell/entry-layout.tsx'
import { pagePaths, readLocalPath } from '../path-builder.ts'
import { lazyPage } from './lazy-page.ts'
import { requireSession } from './require-session.ts'
import { rootRoute } from './root-route.tsx'
import { readText, type Search } from './search-params.ts'

const entryRoute = createRoute({ getParentRoute: () => rootRoute, id: '_entry', component: EntryLayout })

const signInRoute = createRoute({
  getParentRoute: () => entryRoute,
  path: 'sign-in',
  validateSearch: readSignIn,
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session) throw redirect({ href: search.next ?? pagePaths.home() })
  },
  loader: ({ context }) => context.queryClient.ensureQueryData(instanceQuery),
  component: lazyPage(() => import('../pages/accounts/sign-in-page.tsx'), 'SignInPage'),
})

const signUpRoute = createRoute({
  getParentRoute: () => entryRoute,
  path: 'sign-up',
  validateSearch: readNext,
  loader: ({ context }) => context.queryClient.ensureQueryData(instanceQuery),
  component: lazyPage(() => import('../pages/accounts/sign-up-page.tsx'), 'SignUpPage'),
})

const setupRoute = createRoute({
  getParentRoute: () => entryRoute,
  path: 'setup',
  loader: ({ context }) => context.queryClient.ensureQueryData(instanceQuery),
  component: lazyPage(() => import('../pages/accounts/setup-page.tsx'), 'SetupPage'),
})

const inviteRoute = createRoute({
  getParentRoute: () => entryRoute,
  path: 'invite',
  component: lazyPage(() => import('../pages/accounts/invite-page.tsx'), 'InvitePage'),
})

const resetRoute = createRoute({
  getParentRoute: () => entryRoute,
  path: 'reset',
  component: lazyPage(() => import('../pages/accounts/reset-page.tsx'), 'ResetPage'),
})

const forgotPasswordRoute = createRoute({
  getParentRoute: () => entryRoute,
  path: 'forgot-password',
  loader: ({ context }) => context.queryClient.ensureQueryData(instanceQuery),
  component: lazyPage(() => import('../pages/accounts/forgot-password-page.tsx'), 'ForgotPasswordPage'),
})

const deviceRoute = createRoute({
  getParentRoute: () => entryRoute,
  path: 'device',
  validateSearch: readUserCode,
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
  component: lazyPage(() => import('../pages/accounts/device-page.tsx'), 'DevicePage'),
})

export const entryRoutes = entryRoute.addChildren([
  signInRoute,
  signUpRoute,
  setupRoute,
  inviteRoute,
  resetRoute,
  forgotPasswordRoute,
  deviceRoute,
])

/** `?next=/path` is the page after signing in; anything but a path of this origin is ignored. */
function readNext(search: Search): { next: string | undefined } {
  return { next: readLocalPath(search['next']) }
}

/** `?problem=` is why signing in with the provider did not work. */
function readSignIn(search: Search): { next: string | undefined; problem: string | undefined } {
  return { ...readNext(search), problem: readText(search['problem']) }
}

function readUserCode(search: Search): { user_code: string | undefined } {
  return { user_code: readText(search['user_code']) }
}
