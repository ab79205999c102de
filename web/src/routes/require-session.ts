import type { QueryClient } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import type { Session } from '../api/session.ts'
import { sessionQuery } from '../api/session-query.ts'
import { pagePaths } from '../path-builder.ts'

/** Redirects anonymous visitors to the sign-in page, which returns them to `href`. */
export async function requireSession(queryClient: QueryClient, href: string): Promise<Session> {
  const session = await queryClient.ensureQueryData(sessionQuery)
  if (!session) throw redirect({ to: pagePaths.signIn(), search: href === pagePaths.home() ? {} : { next: href } })
  return session
}
