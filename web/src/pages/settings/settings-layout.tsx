import { Link, Outlet } from '@tanstack/react-router'
import { pagePaths, type SettingsSection } from '../../path-builder.ts'
import { useApplicationId } from '../shell/use-application.ts'

const sections: { section: SettingsSection; title: string }[] = [
  { section: 'general', title: 'General' },
  { section: 'api-keys', title: 'API Keys' },
  { section: 'members', title: 'Members' },
]

export function SettingsLayout() {
  const applicationId = useApplicationId()
  return (
    <div className="grid grid-cols-1 gap-8 md:grid-cols-[11rem_minmax(0,1fr)] md:gap-12">
      <nav aria-label="Settings" className="md:sticky md:top-24 md:self-start">
        <ul className="flex gap-1 overflow-x-auto p-1 md:flex-col">
          {sections.map(({ section, title }) => (
            <li key={section}>
              <Link
                to={pagePaths.settings(applicationId, section)}
                className="block rounded-lg border-l-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-soft transition-colors hover:bg-hover hover:text-ink aria-[current=page]:border-gold aria-[current=page]:bg-hover aria-[current=page]:text-ink"
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-w-0">
        <Outlet />
      </div>
    </div>
  )
}
