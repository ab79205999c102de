import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PagedList } from '../shell/paged-list.tsx'
import { LoadError } from './load-error.tsx'

interface SettingsListProps<Item> {
  query: UseInfiniteQueryResult<Item[]>
  empty: ReactNode
  children: (rows: Item[]) => ReactNode
}

/** A list that loads page by page, and offers to try again if the first page failed. */
export function SettingsList<Item>({ query, empty, children }: SettingsListProps<Item>) {
  if (query.data === undefined && query.error) {
    return <LoadError error={query.error} isBusy={query.isFetching} onRetry={() => void query.refetch()} />
  }
  return (
    <PagedList query={query} empty={empty}>
      {children}
    </PagedList>
  )
}
