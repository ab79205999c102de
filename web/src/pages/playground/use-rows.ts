import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { datasetSummariesQuery } from '../../api/dataset-summaries-query.ts'
import type { DatasetItem, DatasetSummary, ItemRow } from '../../api/generated/api.ts'
import { itemsQuery, pickedItemsQuery } from '../../api/picked-items-query.ts'
import type { ComponentKey } from '../../api/prompts-query.ts'
import type { PlaygroundRecord } from './playground-record.ts'
import { ITEMS_DEFAULT, type PlaygroundSearch } from './playground-search.ts'
import { chooseBySeed } from './playground-values.ts'

/** A line of the table: values that were typed, or an item. */
export interface PlaygroundRow {
  /** The answers of the row belong to it. */
  id: string
  /** "Row 2" or "Item 57". */
  name: string
  hand: PlaygroundRecord['rows'][number] | undefined
  item: DatasetItem | undefined
}

interface Rows {
  rows: PlaygroundRow[]
  datasets: DatasetSummary[]
  dataset: DatasetSummary | undefined
  /** Of the choice: all items, or those that fail. */
  total: number
  isPending: boolean
  error: { error: Error | null; isFetching: boolean; refetch: () => Promise<unknown> } | undefined
}

/** The rows of the table: typed by hand, or chosen from a dataset. */
export function useRows(key: ComponentKey, search: PlaygroundSearch, typed: PlaygroundRecord['rows']): Rows {
  const { applicationId, componentId } = key
  const isItems = search.rows === 'items'
  const { pick = 'seed', items: count = ITEMS_DEFAULT, seed = 1 } = search
  const summaries = useInfiniteQuery({ ...datasetSummariesQuery(applicationId, componentId), enabled: isItems })
  const datasets = summaries.data ?? []
  const dataset = datasets.find(({ id }) => id === search.dataset) ?? datasets.find(({ itemCount }) => itemCount > 0)
  const datasetKey = { applicationId, componentId, datasetId: dataset?.id ?? '' }
  const isBySeed = pick === 'seed'
  const picked = useInfiniteQuery({
    ...pickedItemsQuery(datasetKey, pick),
    enabled: isItems && dataset !== undefined && !isBySeed,
  })
  const numbers = isItems && isBySeed && dataset ? chooseBySeed(dataset.itemCount, count, seed) : []
  const chosen: Pick<ItemRow, 'id' | 'number'>[] = (picked.data?.rows ?? []).slice(0, count)
  const places = isBySeed
    ? numbers.map((number) => ({ number, offset: (dataset?.itemCount ?? 0) - number }))
    : chosen.map(({ id, number }) => ({ number, itemId: id }))
  const found = useQuery({ ...itemsQuery(datasetKey, places), enabled: isItems && places.length > 0 })
  if (!isItems) {
    const rows = typed.map((row, index) => ({
      id: `row ${row.id}`,
      name: `Row ${index + 1}`,
      hand: row,
      item: undefined,
    }))
    return { rows, datasets, dataset, total: rows.length, isPending: false, error: undefined }
  }
  const rows = (found.data ?? []).map(({ number, item }) => ({
    id: item.id,
    name: `Item ${number}`,
    hand: undefined,
    item,
  }))
  const queries = [summaries, ...(isBySeed ? [] : [picked]), found]
  return {
    rows,
    datasets,
    dataset,
    total: isBySeed ? (dataset?.itemCount ?? 0) : (picked.data?.total ?? 0),
    isPending: queries.some(({ isLoading }) => isLoading),
    error: queries.find(({ error }) => error !== null),
  }
}
