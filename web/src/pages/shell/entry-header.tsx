import type { ReactNode } from 'react'

export function EntryHeader({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="mb-7">
      <title>{`${title} · Touchstone`}</title>
      <h1 className="font-display text-title font-semibold tracking-tight text-balance">{title}</h1>
      {children && <div className="mt-2 text-soft">{children}</div>}
    </header>
  )
}
