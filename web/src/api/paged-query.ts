import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query'
import { requestJson } from './api-client.ts'
import type { Page } from './page.ts'

const pageSize = 50

interface PagedList {
  key: readonly string[]
  path: string
  applicationId: string
}

/** A list that grows with "Load more". There are no totals: another page can exist only if the last one was full. */
export function pagedQuery<Item>({ key, path, applicationId }: PagedList) {
  return infiniteQueryOptions({
    queryKey: ['application', applicationId, ...key],
    queryFn: ({ pageParam, signal }) =>
      requestJson<Page<Item>>({ path: `${path}?limit=${pageSize}&offset=${pageParam}`, applicationId, signal }),
    initialPageParam: 0,
    getNextPageParam: (page: Page<Item>, _pages, offset: number) =>
      page.data.length === pageSize ? offset + pageSize : undefined,
    select: readRows,
  })
}

/** Offsets shift when rows are created meanwhile, so a row can appear twice; the first one is used. */
function readRows<Item>({ pages }: InfiniteData<Page<Item>>): Item[] {
  const seen = new Set<unknown>()
  return pages
    .flatMap((page) => page.data)
    .filter((item) => {
      const id = readId(item)
      if (seen.has(id)) return false
      seen.add(id)
      return true
    })
}

function readId(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : item
}
