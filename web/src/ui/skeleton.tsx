interface SkeletonProps {
  rows?: number
  /** 'at-once' if the caller has waited already. */
  appears?: 'late' | 'at-once'
}

/** Gray rows in place of a list that is loading; they appear only if the response needs longer than 200 ms. */
export function Skeleton({ rows = 4, appears = 'late' }: SkeletonProps) {
  return (
    <div role="status" className={appears === 'late' ? 'animate-late' : ''}>
      <span className="sr-only">Loading…</span>
      <div aria-hidden className="flex animate-pulse flex-col gap-3">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike and never move
          <div key={row} className="h-10 rounded-control bg-hover" />
        ))}
      </div>
    </div>
  )
}
