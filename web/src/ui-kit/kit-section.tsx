import type { ReactNode } from 'react'

/** A chapter of the kit. */
export function KitSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mb-12">
      <h2 className="mb-4 border-b border-line pb-1 font-display text-section font-semibold">{title}</h2>
      <div className="flex flex-col gap-6">{children}</div>
    </div>
  )
}

/** Some parts under a name, one next to the other. */
export function Specimen({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-2 text-meta text-faint">{name}</h3>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">{children}</div>
    </div>
  )
}

export function Card({ children }: { children: ReactNode }) {
  return <div className="min-w-0 rounded-card border border-line bg-surface p-4 shadow-lift">{children}</div>
}
