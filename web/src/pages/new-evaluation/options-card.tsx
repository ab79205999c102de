import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { FormSection } from './form-section.tsx'

interface OptionsCardProps {
  title: string
  isFoldable: boolean
  /** Opens it. It stays open when the error is gone, because the user is typing in it. */
  hasError: boolean
  children: ReactNode
}

const cardClass = 'rounded-card border border-line bg-surface shadow-lift'

/** The options of an evaluator: one line, if it needs none. */
export function OptionsCard({ title, isFoldable, hasError, children }: OptionsCardProps) {
  const titleId = useId()
  const [isOpen, setIsOpen] = useState(false)
  if (hasError && !isOpen) setIsOpen(true)
  if (!isFoldable) {
    return (
      <FormSection title={title}>
        <div className={`${cardClass} p-5 max-sm:p-4`}>{children}</div>
      </FormSection>
    )
  }
  return (
    <section aria-labelledby={titleId} className="min-w-0">
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)} className={cardClass}>
        <summary className="flex list-none flex-wrap items-center gap-x-2 rounded-card px-4 py-3 hover:bg-hover">
          <ChevronRight aria-hidden className={`size-4 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`} />
          <h2 id={titleId} className="font-display text-reading font-semibold">
            {title}
          </h2>
          <span className="text-meta text-faint">Options, and a try on 3 cases</span>
        </summary>
        <div className="border-t border-line p-5 max-sm:p-4">{children}</div>
      </details>
    </section>
  )
}
