import { Link, Outlet } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import { PageBody } from '../shell/page-body.tsx'
import { sectionLinkClass, sectionListClass, sectionsClass } from '../shell/section-nav.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplicationCrumb, useApplicationId } from '../shell/use-application.ts'
import { settingsSections } from './settings-sections.ts'

export function SettingsLayout() {
  const applicationId = useApplicationId()
  return (
    <>
      <TopRow parents={[useApplicationCrumb()]} current="Settings" />
      <PageBody>
        <div className={sectionsClass}>
          <nav aria-label="Settings" className="md:sticky md:top-18 md:self-start">
            <ul className={sectionListClass}>
              {settingsSections.map(({ section, title }) => (
                <li key={section}>
                  <Link to={pagePaths.settings(applicationId, section)} className={sectionLinkClass}>
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
