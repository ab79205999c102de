import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** One sentence: the purpose of this page, or why it is empty. */
  text: string
  action?: ReactNode
  children?: ReactNode
}

export function EmptyState({ icon: Icon, title, text, action, children }: EmptyStateProps) {
  return (
    <section className="flex flex-col items-center rounded-2xl border border-dashed border-line px-6 py-14 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-2xl bg-gold-wash text-gold-ink">
        <Icon aria-hidden className="size-6" />
      </span>
      <h2 className="font-display text-xl font-semibold">{title}</h2>
      <p className="mt-1 max-w-prose text-soft text-balance">{text}</p>
      {action && <div className="mt-5">{action}</div>}
      {children && <div className="mt-8 w-full max-w-2xl text-left">{children}</div>}
    </section>
  )
}
