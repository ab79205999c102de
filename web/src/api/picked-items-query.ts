/** A few items of a dataset with their whole texts, for the playground. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
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

/** `number` is the place of the item in the dataset, oldest first; `offset` that in the list, newest first. */
type ItemPlace = { number: number } & ({ itemId: string } | { offset: number })

/** Without those that are not there any more. */
export function itemsQuery({ applicationId, ...path }: DatasetKey, places: readonly ItemPlace[]) {
  const read = async (place: ItemPlace, signal: AbortSignal): Promise<DatasetItem[]> => {
    const init = { ...inApplication(applicationId), signal }
    if ('itemId' in place) {
      const params = { path: { ...path, itemId: place.itemId } }
      return [await dataOf(api.GET(`${ITEMS}/{itemId}`, { ...init, params }))]
    }
    const params = { path, query: { limit: 1, offset: place.offset } }
    return (await dataOf(api.GET(ITEMS, { ...init, params }))).data
  }
  return queryOptions({
    queryKey: [...apiKey(ITEMS, applicationId), path, places],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(places.map((place) => read(place, signal)))
      return places.flatMap(({ number }, index) => (found[index] ?? []).map((item) => ({ number, item })))
    },
    // With one item more, or one less, the others stay.
    placeholderData: keepPreviousData,
  })
}
