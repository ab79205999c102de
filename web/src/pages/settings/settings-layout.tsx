import { Link, Outlet } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import { PageBody } from '../shell/page-body.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { useApplicationCrumb, useApplicationId } from '../shell/use-application.ts'
import { settingsSections } from './settings-sections.ts'

export function SettingsLayout() {
  const applicationId = useApplicationId()
  return (
    <>
      <TopRow parents={[useApplicationCrumb()]} current="Settings" />
      <PageBody>
        <div className="grid grid-cols-1 gap-8 md:grid-cols-[11rem_minmax(0,1fr)] md:gap-12">
          <nav aria-label="Settings" className="md:sticky md:top-24 md:self-start">
            <ul className="flex gap-1 overflow-x-auto p-1 md:flex-col">
              {settingsSections.map(({ section, title }) => (
                <li key={section}>
                  <Link
                    to={pagePaths.settings(applicationId, section)}
                    className="block rounded-lg border-l-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-soft transition-colors hover:bg-hover hover:text-ink aria-[current=page]:border-gold aria-[current=page]:bg-hover aria-[current=page]:text-ink"
                  >
                    {({ isActive }) => <span ref={isActive ? scrollIntoView : null}>{title}</span>}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div className="min-w-0">
            <Outlet />
          </div>
        </div>
      </PageBody>
    </>
  )
}

/** On a phone the sections are one row, and the current one may be outside of the screen. */
function scrollIntoView(title: HTMLElement | null): void {
  title?.scrollIntoView({ block: 'nearest', inline: 'center' })
}
