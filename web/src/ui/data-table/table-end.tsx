import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../button.tsx'

interface TableEndProps {
  rows: unknown[]
  lastIndex: number | undefined
  hasMore?: boolean
  isLoadingMore?: boolean
  onLoadMore?: () => void
  moreError?: ReactNode
}

/** The next page is requested before the end is in view. */
const rowsAhead = 20

/** Loads the next page when its rows are about to come into view; the button is for keyboards and for errors. */
export function TableEnd({ rows, lastIndex = -1, hasMore, isLoadingMore, onLoadMore, moreError }: TableEndProps) {
  const requestedAt = useRef(0)
  useEffect(() => {
    const isNear = lastIndex >= rows.length - rowsAhead
    // Once for each length: a page that failed is requested again only by the user.
    if (!hasMore || isLoadingMore || !isNear || rows.length === 0 || requestedAt.current === rows.length) return
    requestedAt.current = rows.length
    onLoadMore?.()
  })
  if (rows.length === 0 || (!hasMore && !moreError)) return null
  return (
    <div className="sticky left-0 flex flex-col items-center gap-2 px-4 py-3">
      {moreError}
      {!moreError && (
        <Button size="small" isBusy={isLoadingMore === true} onClick={onLoadMore}>
          {isLoadingMore ? 'Loading more…' : 'Load more'}
        </Button>
      )}
    </div>
  )
}
