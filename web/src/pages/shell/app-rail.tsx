import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Activity, Boxes, Inbox, LayoutDashboard, type LucideIcon, Search, Settings } from 'lucide-react'
import { Fragment } from 'react'
import { componentQuery } from '../../api/components-query.ts'
import { meQuery } from '../../api/me-query.ts'
import { workQuery } from '../../api/work-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import type { ShortcutId } from '../../shortcuts/shortcut-list.ts'
import { runShortcut } from '../../shortcuts/shortcut-store.ts'
import { formatCount } from '../../ui/format-number.ts'
import { Logo } from '../../ui/logo.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ApplicationSwitcher } from './application-switcher.tsx'
import { NavLink } from './nav-link.tsx'
import { hasRole } from './roles.ts'

/** The navigation at the left: 220 px wide, 56 px below 1100, and a bar at the bottom below 640. */
export function AppRail({ applicationId }: { applicationId: string | undefined }) {
  return (
    <header className="sticky top-0 z-30 flex h-dvh flex-col border-r border-line px-2.5 py-3 max-sm:h-14 max-sm:flex-row max-sm:items-center max-sm:gap-2 max-sm:border-r-0 max-sm:border-b max-sm:bg-canvas">
      <Link
        to={pagePaths.home()}
        aria-label="Touchstone, all applications"
        className="mb-3 flex items-center rounded-control px-2 py-1 max-rail:justify-center max-rail:px-0 touch:min-h-11 touch:min-w-11 max-sm:mb-0"
      >
        <Logo nameClass="max-rail:sr-only" />
      </Link>
      <ApplicationSwitcher />
      <button
        type="button"
        onClick={() => runShortcut('palette')}
        title="Find or jump to"
        className="mt-1 mb-2 flex min-h-8 items-center gap-2.5 rounded-control px-2.5 text-left text-data text-soft hover:bg-hover hover:text-ink max-rail:justify-center max-rail:px-0 touch:min-h-11 max-sm:my-0 max-sm:size-11"
      >
        <Search aria-hidden className="size-4 shrink-0" />
        <span className="truncate max-rail:sr-only">Jump to…</span>
        <span className="ml-auto max-rail:hidden">
          <ShortcutKeys id="palette" />
        </span>
      </button>
      {applicationId && <Sections applicationId={applicationId} />}
      <div className="mt-auto border-t border-line pt-2 max-sm:mt-0 max-sm:ml-auto max-sm:border-t-0 max-sm:pt-0">
        <AccountMenu />
      </div>
    </header>
  )
}

function Sections({ applicationId }: { applicationId: string }) {
  const { componentId } = useParams({ strict: false })
  return (
    <nav
      aria-label="Application"
      className="flex min-h-0 flex-1 flex-col gap-0.5 max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:min-h-14 max-sm:flex-row max-sm:items-center max-sm:justify-around max-sm:border-t max-sm:border-line max-sm:bg-canvas max-sm:px-2"
    >
      {navEntries.map(({ label, path, ...entry }) => (
        <Fragment key={label}>
          <NavLink
            to={path(applicationId)}
            label={label}
            icon={entry.icon}
            matches={entry.matches ?? 'below'}
            isAbove={path === pagePaths.components && componentId !== undefined}
          >
            {path === pagePaths.work && <WorkCount applicationId={applicationId} />}
          </NavLink>
          {path === pagePaths.components && <CurrentComponent applicationId={applicationId} />}
        </Fragment>
      ))}
      <div className="mt-auto mb-2 max-sm:m-0">
        <NavLink to={pagePaths.allSettings(applicationId)} label="Settings" icon={Settings} />
      </div>
    </nav>
  )
}

/** The component whose page is open, below "Components". A narrow rail has no room for it. */
function CurrentComponent({ applicationId }: { applicationId: string }) {
  const { componentId } = useParams({ strict: false })
  const { data: component } = useQuery({
    ...componentQuery(applicationId, componentId ?? ''),
    enabled: componentId !== undefined,
  })
  if (!component || component.id !== componentId) return null
  return (
    <Link
      to={pagePaths.component(applicationId, component.id)}
      title={component.name}
      className="relative flex min-h-8 items-center rounded-control pr-2.5 pl-9 text-data font-medium text-soft transition-colors before:absolute before:inset-y-0 before:-left-2.5 before:w-[3px] hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:text-ink aria-[current=page]:before:bg-gold max-rail:hidden touch:min-h-11"
    >
      <span className="truncate">{component.name}</span>
    </Link>
  )
}

interface NavEntry {
  label: string
  icon: LucideIcon
  shortcut: ShortcutId
  path: (applicationId: string) => string
  matches?: 'exact'
}

/** The sections of an application. */
const navEntries: NavEntry[] = [
  { label: 'Overview', icon: LayoutDashboard, shortcut: 'goToOverview', path: pagePaths.application, matches: 'exact' },
  { label: 'My work', icon: Inbox, shortcut: 'goToWork', path: pagePaths.work },
  { label: 'Traces', icon: Activity, shortcut: 'goToTraces', path: pagePaths.traces },
  { label: 'Components', icon: Boxes, shortcut: 'goToComponents', path: pagePaths.components },
]

/** How many traces wait for a rating of the user. Nothing if none does. */
function WorkCount({ applicationId }: { applicationId: string }) {
  const { data: me } = useQuery(meQuery(applicationId))
  const { data: work } = useQuery({
    ...workQuery(applicationId),
    enabled: me !== undefined && hasRole(me.role, 'annotator'),
  })
  if (!work || work.remaining === 0) return null
  return (
    <span className="ml-auto rounded-full bg-gold-wash px-1.5 text-[11px] leading-4.5 font-semibold text-gold-ink tabular-nums max-rail:absolute max-rail:top-0 max-rail:right-0 max-rail:px-1 max-sm:right-2">
      <span aria-hidden>{work.remaining > 999 ? '999+' : work.remaining}</span>
      <span className="sr-only">{formatCount(work.remaining)} to rate</span>
    </span>
  )
}
