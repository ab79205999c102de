import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { LoadMore } from '../../ui/load-more.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ErrorReport } from './error-report.tsx'

interface PagedListProps<Item> {
  query: UseInfiniteQueryResult<Item[]>
  empty: ReactNode
  children: (rows: Item[]) => ReactNode
}

/** The states of a list that loads page by page. Visible rows stay while others load or fail to load. */
export function PagedList<Item>({ query, empty, children }: PagedListProps<Item>) {
  const { data: rows, error } = query
  if (rows === undefined) return error ? <ErrorReport error={error} /> : <Skeleton />
  return (
    <>
      {rows.length === 0 ? empty : children(rows)}
      {error && (
        <div className="mt-4">
          <ErrorReport error={error} />
        </div>
      )}
      <LoadMore
        hasMore={query.hasNextPage}
        isLoading={query.isFetchingNextPage}
        onLoad={() => void query.fetchNextPage()}
      />
    </>
  )
}
