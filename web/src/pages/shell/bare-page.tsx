import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ErrorPage } from './error-page.tsx'
import { NotFoundPage, type NotFoundPageProps } from './not-found-page.tsx'
import { TopBar } from './top-bar.tsx'

/** For pages outside of every layout, or whose layout failed, too: it has its own frame. */
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

export function BareNotFoundPage({ data }: NotFoundPageProps) {
  return (
    <BarePage>
      <NotFoundPage data={data} />
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
