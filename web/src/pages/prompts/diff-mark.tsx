import type { ReactNode } from 'react'

/** Blue is before and orange after, as baseline and candidate everywhere: neither is the right one. */
export function DiffMark({ side, children }: { side: 'before' | 'after'; children: ReactNode }) {
  const [Element, word] = side === 'before' ? (['del', 'removed'] as const) : (['ins', 'added'] as const)
  return (
    <Element className={`rounded-[3px] box-decoration-clone px-0.5 no-underline ${marks[side]}`}>
      <span className="sr-only">[{word}: </span>
      {children}
      <span className="sr-only">]</span>
    </Element>
  )
}

const marks = {
  before: 'bg-series-1/15 shadow-[inset_0_-2px_0_color-mix(in_srgb,var(--color-series-1)_65%,transparent)]',
  after: 'bg-series-2/15 shadow-[inset_0_-2px_0_color-mix(in_srgb,var(--color-series-2)_65%,transparent)]',
}
