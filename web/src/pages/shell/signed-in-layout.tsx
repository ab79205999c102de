import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { AccountMenu } from './account-menu.tsx'
import { ApplicationSwitcher } from './application-switcher.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { TopBar } from './top-bar.tsx'

export function SignedInLayout() {
  return (
    <SignedInFrame>
      <Outlet />
    </SignedInFrame>
  )
}

export function SignedInNotFoundPage() {
  return (
    <SignedInFrame>
      <NotFoundPage />
    </SignedInFrame>
  )
}

function SignedInFrame({ children }: { children: ReactNode }) {
  const applicationId = useKnownApplicationId()
  return (
    <>
      <TopBar
        end={
          <>
            <Link to={pagePaths.docs()} className={`${sectionClass} max-sm:hidden`}>
              API
            </Link>
            <AccountMenu />
          </>
        }
      >
        <span aria-hidden className="text-xl font-light text-edge">
          /
        </span>
        <ApplicationSwitcher />
        {applicationId && (
          <nav aria-label="Application" className="flex items-center gap-1 max-md:order-last max-md:w-full">
            <Link to={pagePaths.components(applicationId)} className={sectionClass}>
              Components
            </Link>
            <Link to={pagePaths.allSettings(applicationId)} className={sectionClass}>
              Settings
            </Link>
          </nav>
        )}
      </TopBar>
      <main id="main" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-10 pb-24 sm:px-6">
        {children}
      </main>
    </>
  )
}

/** The application in the path, if the user is a member; a not-found page may have none. */
function useKnownApplicationId(): string | undefined {
  const { applicationId } = useParams({ strict: false })
  const { data: workspaces } = useQuery(workspacesQuery)
  return workspaces?.find(({ id }) => id === applicationId)?.id
}

const sectionClass =
  'inline-flex min-h-9 items-center rounded-lg px-3 text-sm font-medium text-soft transition-colors hover:bg-hover ' +
  'hover:text-ink aria-[current=page]:text-ink aria-[current=page]:bg-hover'
