import { type ReactNode, useId } from 'react'

interface FormSectionProps {
  title: string
  /** At the right of the title. */
  aside?: ReactNode
  children: ReactNode
}

export function FormSection({ title, aside, children }: FormSectionProps) {
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 id={titleId} className="font-display text-section font-semibold">
          {title}
        </h2>
        {aside && <div className="text-meta text-faint">{aside}</div>}
      </div>
      {children}
    </section>
  )
}
