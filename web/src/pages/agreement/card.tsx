import type { ReactNode } from 'react'

/** One figure of a page, separated from the others. */
export function Card({ children }: { children: ReactNode }) {
  return <div className="min-w-0 rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4">{children}</div>
}
