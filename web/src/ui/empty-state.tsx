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
    <section className="flex flex-col items-center rounded-card border border-dashed border-edge/60 px-6 py-12 text-center">
      <span className="mb-3 grid size-10 place-items-center rounded-card bg-gold-wash text-gold-ink">
        <Icon aria-hidden className="size-5" />
      </span>
      <h2 className="font-display text-section font-semibold">{title}</h2>
      <p className="mt-1 max-w-prose text-soft text-balance">{text}</p>
      {action && <div className="mt-4">{action}</div>}
      {children && <div className="mt-8 w-full max-w-2xl text-left">{children}</div>}
    </section>
  )
}
