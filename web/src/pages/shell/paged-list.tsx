import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { LoadMore } from '../../ui/load-more.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from './query-error.tsx'

interface PagedListProps<Item> {
  query: UseInfiniteQueryResult<Item[]>
  empty: ReactNode
  children: (rows: Item[]) => ReactNode
}

/** The states of a list that loads page by page. Visible rows stay while others load or fail to load. */
export function PagedList<Item>({ query, empty, children }: PagedListProps<Item>) {
  const { data: rows, error, isFetching } = query
  // The page that failed may be a later one.
  const refetch = query.isFetchNextPageError ? query.fetchNextPage : query.refetch
  if (rows === undefined) return error ? <QueryError query={query} /> : <Skeleton />
  return (
    <>
      {rows.length === 0 ? empty : children(rows)}
      {error && (
        <div className="mt-4">
          <QueryError query={{ error, isFetching, refetch }} />
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
