import { useQuery } from '@tanstack/react-query'
import { Outlet, useMatches, useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { OutboxProvider } from '../annotate/outbox-context.tsx'
import { AppRail } from './app-rail.tsx'
import { NotFoundPage, type NotFoundPageProps } from './not-found-page.tsx'
import { PageBody } from './page-body.tsx'
import { SkipLink } from './skip-link.tsx'
import { useGoToShortcuts } from './use-go-to-shortcuts.ts'
import { usePreferenceSync } from './use-preference-sync.ts'

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))
const ShortcutSheet = lazy(async () => ({
  default: (await import('../../shortcuts/shortcut-sheet.tsx')).ShortcutSheet,
}))

export function SignedInLayout() {
  return (
    <SignedInFrame>
      <Outlet />
    </SignedInFrame>
  )
}

export function SignedInNotFoundPage({ data }: NotFoundPageProps) {
  return (
    <SignedInFrame>
      <PageBody>
        <NotFoundPage data={data} />
      </PageBody>
    </SignedInFrame>
  )
}

function SignedInFrame({ children }: { children: ReactNode }) {
  const applicationId = useKnownApplicationId()
  const isFullScreen = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isFullScreen) })
  const [open, setOpen] = useState<'palette' | 'help'>()
  const close = () => setOpen(undefined)
  useShortcut('palette', () => setOpen('palette'))
  useShortcut('help', () => setOpen('help'))
  useGoToShortcuts(applicationId)
  usePreferenceSync()
  return (
    <div className={`min-h-dvh ${isFullScreen ? '' : railGrid}`}>
      {!isFullScreen && (
        <>
          <SkipLink />
          <AppRail applicationId={applicationId} />
        </>
      )}
      <main id="main" tabIndex={-1} className="min-w-0">
        <OutboxProvider>{children}</OutboxProvider>
      </main>
      <Suspense>
        {open === 'palette' && <CommandPalette applicationId={applicationId} onClose={close} />}
        {open === 'help' && <ShortcutSheet onClose={close} />}
      </Suspense>
    </div>
  )
}

const railGrid = 'sm:grid sm:grid-cols-[56px_minmax(0,1fr)] rail:grid-cols-[220px_minmax(0,1fr)]'

/** The application in the path, if the user is a member; a not-found page may have none. */
function useKnownApplicationId(): string | undefined {
  const { applicationId } = useParams({ strict: false })
  const { data: workspaces } = useQuery(workspacesQuery)
  return workspaces?.find(({ id }) => id === applicationId)?.id
}
