/** A few items of a dataset with their whole texts, for the playground. */
import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'
import type { DatasetKey } from './dataset-items-query.ts'
import type { DatasetItem } from './generated/api.ts'
import { itemRowsQuery } from './item-rows-query.ts'

const ITEMS = '/components/{componentId}/datasets/{datasetId}/items'

/** The first items by their age, or by what the newest evaluated run says of them. */
export function pickedItemsQuery(key: DatasetKey, pick: 'seed' | 'newest' | 'turned' | 'failing') {
  if (pick === 'turned') return itemRowsQuery(key, { sort: 'turned' })
  return itemRowsQuery(key, pick === 'failing' ? { sort: 'turned', filter: 'failing' } : { sort: 'newest' })
}

/** One item, by its id or by its place in the list, newest first; null if the list is shorter by now. */
export function itemQuery({ applicationId, ...path }: DatasetKey, where: { itemId: string } | { offset: number }) {
  return queryOptions({
    queryKey: [...apiKey(ITEMS, applicationId), path, where],
    queryFn: async ({ signal }): Promise<DatasetItem | null> => {
      const init = { ...inApplication(applicationId), signal }
      if ('itemId' in where) {
        return dataOf(api.GET(`${ITEMS}/{itemId}`, { ...init, params: { path: { ...path, ...where } } }))
      }
      const query = { limit: 1, offset: where.offset }
      const { data } = await dataOf(api.GET(ITEMS, { ...init, params: { path, query } }))
      return data[0] ?? null
    },
  })
}
