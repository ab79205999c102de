import { Link, useParams } from '@tanstack/react-router'
import { Search, Settings } from 'lucide-react'
import { Fragment } from 'react'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { runShortcut } from '../../shortcuts/shortcut-store.ts'
import { Logo } from '../../ui/logo.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ApplicationSwitcher } from './application-switcher.tsx'
import { CurrentComponent } from './current-component.tsx'
import { navEntries } from './nav-entries.ts'
import { NavLink } from './nav-link.tsx'
import { WorkCount } from './work-count.tsx'

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
