import { type ReactNode, useId } from 'react'

interface DeploySectionProps {
  title: string
  /** Next to the title, and at the right end of its line. */
  note?: ReactNode
  action?: ReactNode
  children: ReactNode
}

export function DeploySection({ title, note, action, children }: DeploySectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="border-t border-line px-6 py-5 max-sm:px-4">
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={id} className="text-body font-semibold">
          {title}
        </h2>
        {note}
        {action && <div className="ml-auto text-data">{action}</div>}
      </div>
      {children}
    </section>
  )
}
