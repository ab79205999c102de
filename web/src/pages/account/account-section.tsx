import type { ReactNode } from 'react'
import { type AccountSectionId, accountSections } from './account-sections.ts'

interface AccountSectionProps {
  id: AccountSectionId
  text: ReactNode
  /** At the right of the title. */
  action?: ReactNode
  children?: ReactNode
}

/** A part of the account page that an anchor leads to. */
export function AccountSection({ id, text, action, children }: AccountSectionProps) {
  const title = accountSections.find((section) => section.id === id)?.title
  return (
    // The margin keeps the title below the bars that stick to the top.
    <section id={id} aria-labelledby={`${id}-title`} className="scroll-mt-16 pt-8 first:pt-0 max-sm:scroll-mt-44">
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3 border-b border-line pb-3">
        <div className="min-w-0">
          <h2 id={`${id}-title`} className="font-display text-section font-semibold">
            {title}
          </h2>
          <p className="mt-0.5 max-w-prose text-data text-soft text-pretty">{text}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
