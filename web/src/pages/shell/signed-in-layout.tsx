import { useQuery } from '@tanstack/react-query'
import { Outlet, useMatches, useNavigate, useParams } from '@tanstack/react-router'
import { createContext, lazy, type ReactNode, Suspense, use, useEffect, useState } from 'react'
import { useLiveEvents } from '../../api/live-events.ts'
import { preferencesQuery, useChangePreferences } from '../../api/preferences-query.ts'
import { loadPart } from '../../api/server-connection.ts'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { singleKeys, useShortcut } from '../../shortcuts/shortcut-store.ts'
import { rowDensity } from '../../ui/row-density.ts'
import { theme } from '../../ui/theme.ts'
import { OutboxProvider } from '../annotate/outbox-context.tsx'
import { AppRail } from './app-rail.tsx'
import { NotFoundPage, type NotFoundPageProps } from './not-found-page.tsx'
import { PageBody } from './page-body.tsx'
import { SkipLink } from './skip-link.tsx'

const CommandPalette = lazy(async () => ({
  default: (await loadPart(() => import('./command-palette.tsx'))).CommandPalette,
}))
const ShortcutSheet = lazy(async () => ({
  default: (await loadPart(() => import('../../shortcuts/shortcut-sheet.tsx'))).ShortcutSheet,
}))

export function SignedInLayout() {
  return (
    <SignedInFrame>
      <Outlet />
    </SignedInFrame>
  )
}

/** The router renders it in the page of a parent if the address is wrong only after that, and else in place of the layout. */
export function SignedInNotFoundPage({ data }: NotFoundPageProps) {
  const page = (
    <PageBody>
      <NotFoundPage data={data} />
    </PageBody>
  )
  return use(InFrame) ? page : <SignedInFrame>{page}</SignedInFrame>
}

const InFrame = createContext(false)

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
        <OutboxProvider>
          <InFrame value={true}>{children}</InFrame>
        </OutboxProvider>
      </main>
      <StayConnected applicationId={applicationId} />
      <Suspense>
        {open === 'palette' && <CommandPalette applicationId={applicationId} onClose={close} />}
        {open === 'help' && <ShortcutSheet onClose={close} />}
      </Suspense>
    </div>
  )
}

/** A page that shows nothing that changes would otherwise learn only from its next request that the server is away. */
function StayConnected({ applicationId }: { applicationId: string | undefined }) {
  const { data: workspaces } = useQuery(workspacesQuery)
  // A page of no application uses the stream of any.
  const id = applicationId ?? workspaces?.[0]?.id
  return id === undefined ? null : <OpenStream applicationId={id} />
}

function OpenStream({ applicationId }: { applicationId: string }) {
  useLiveEvents(applicationId, [], () => undefined)
  return null
}

const railGrid = 'sm:grid sm:grid-cols-[56px_minmax(0,1fr)] rail:grid-cols-[220px_minmax(0,1fr)]'

/** The application in the path, if the user is a member; a not-found page may have none. */
function useKnownApplicationId(): string | undefined {
  const { applicationId } = useParams({ strict: false })
  const { data: workspaces } = useQuery(workspacesQuery)
  return workspaces?.find(({ id }) => id === applicationId)?.id
}

/** `g` and a letter lead to a section of the application. */
function useGoToShortcuts(applicationId: string | undefined): void {
  const navigate = useNavigate()
  const goTo = (path: (applicationId: string) => string) =>
    applicationId === undefined ? undefined : () => void navigate({ to: path(applicationId) })
  useShortcut('goToOverview', goTo(pagePaths.application))
  useShortcut('goToWork', goTo(pagePaths.work))
  useShortcut('goToTraces', goTo(pagePaths.traces))
  useShortcut('goToComponents', goTo(pagePaths.components))
  useShortcut('goToSettings', goTo(pagePaths.allSettings))
}

/** The settings of this browser that follow the account, by the name of their preference. */
const settings = { theme, rowDensity, singleKeys }

/**
 * Saves choices in the account, wherever on the page they are made, and applies those of other devices. A choice that the account does not
 * have stays on this device.
 */
function usePreferenceSync(): void {
  const { data: preferences } = useQuery(preferencesQuery)
  const { mutate } = useChangePreferences()
  useEffect(() => {
    for (const [name, setting] of Object.entries(settings)) setting.adopt(preferences?.[name])
  }, [preferences])
  useEffect(() => {
    const stops = Object.entries(settings).map(([name, setting]) =>
      setting.onChoose((value: string) => mutate({ [name]: value })),
    )
    return () => {
      for (const stop of stops) stop()
    }
  }, [mutate])
}
