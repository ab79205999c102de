import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ErrorPage } from './error-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { TopBar } from './top-bar.tsx'

/** For what belongs to no part of the site, or whose part could not be shown either: brings its own frame. */
function BarePage({ children }: { children: ReactNode }) {
  return (
    <>
      <TopBar />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}

export function BareNotFoundPage() {
  return (
    <BarePage>
      <NotFoundPage />
    </BarePage>
  )
}

export function BareErrorPage(props: ErrorComponentProps) {
  return (
    <BarePage>
      <ErrorPage {...props} />
    </BarePage>
  )
}
