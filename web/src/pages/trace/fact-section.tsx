import type { ReactNode } from 'react'

/** A titled part of the facts, with its value at the right of the title. */
export function FactSection({ title, value, children }: { title: string; value?: string; children?: ReactNode }) {
  return (
    <section className="py-3">
      <h2 className="mb-1 flex justify-between font-semibold">
        {title}
        {value !== undefined && <span className="tabular-nums">{value}</span>}
      </h2>
      {children}
    </section>
  )
}
