import { useSuspenseQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { sessionQuery } from '../../api/session-query.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { sectionLinkClass, sectionListClass, sectionsClass } from '../shell/section-nav.ts'
import { TopRow } from '../shell/top-row.tsx'
import { accountSections } from './account-sections.ts'
import { AppearanceSection } from './appearance-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { PersonalKeysSection } from './personal-keys-section.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { ShortcutsSection } from './shortcuts-section.tsx'

/** What belongs to the person and not to an application. */
export function AccountPage() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const anchor = useLocation({ select: ({ hash }) => hash })
  if (!session) return null
  const { name, email } = session.user
  return (
    <>
      <TopRow current="Account" />
      <PageBody>
        <div className={sectionsClass}>
          <nav aria-label="Account" className="md:sticky md:top-18 md:self-start">
            <ul className={sectionListClass}>
              {accountSections.map(({ id, title }) => (
                <li key={id}>
                  <a
                    href={`#${id}`}
                    aria-current={(anchor || 'profile') === id ? 'location' : undefined}
                    className={sectionLinkClass}
                  >
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <div className="min-w-0">
            <PageHeader title="Account" text={`What you see and use, in all applications, as ${email}.`} />
            <div className="flex flex-col gap-4">
              <ProfileSection key={name} name={name} email={email} />
              <PasswordSection email={email} />
              <SecondFactorSection />
              <SessionsSection />
              <PersonalKeysSection />
              <AppearanceSection />
              <ShortcutsSection />
            </div>
          </div>
        </div>
      </PageBody>
    </>
  )
}
