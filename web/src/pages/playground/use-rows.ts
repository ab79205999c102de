import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { datasetSummariesQuery } from '../../api/dataset-summaries-query.ts'
import type { DatasetItem, DatasetSummary, ItemRow } from '../../api/generated/api.ts'
import { itemsQuery, pickedItemsQuery } from '../../api/picked-items-query.ts'
import type { PromptKey } from '../../api/prompts-query.ts'
import { triedDatasetQuery } from '../../api/tried-dataset-query.ts'
import type { PlaygroundRecord } from './playground-record.ts'
import { ITEMS_DEFAULT, type ItemPick, type PlaygroundSearch } from './playground-search.ts'
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
export function useRows(key: PromptKey, search: PlaygroundSearch, typed: PlaygroundRecord['rows']): Rows {
  const { applicationId, componentId } = key
  const isItems = search.rows === 'items'
  const { pick = 'seed', items: count = ITEMS_DEFAULT, seed = 1, item: only } = search
  const summaries = useInfiniteQuery({ ...datasetSummariesQuery(applicationId, componentId), enabled: isItems })
  const datasets = summaries.data ?? []
  // The questions that the prompt was tried with, or else most of what there is.
  const tried = useQuery({ ...triedDatasetQuery(key), enabled: isItems && search.dataset === undefined })
  const withItems = datasets.filter(({ itemCount }) => itemCount > 0)
  const dataset = tried.isLoading
    ? undefined
    : (datasets.find(({ id }) => id === search.dataset) ??
      withItems.find(({ id }) => id === tried.data) ??
      withItems.toSorted((a, b) => b.itemCount - a.itemCount)[0])
  const datasetKey = { applicationId, componentId, datasetId: dataset?.id ?? '' }
  /** By their numbers, without a list of all of them. */
  const isByNumber = only === undefined && (pick === 'seed' || pick === 'first')
  const picked = useInfiniteQuery({
    ...pickedItemsQuery(datasetKey, pick === 'first' ? 'newest' : pick),
    enabled: isItems && dataset !== undefined && !isByNumber && only === undefined,
  })
  const numbers = isItems && isByNumber && dataset ? chosenNumbers(pick, dataset.itemCount, { count, seed }) : []
  // Its place in the dataset is not known.
  const chosen: Pick<ItemRow, 'id' | 'number'>[] =
    only === undefined ? (picked.data?.rows ?? []).slice(0, count) : [{ id: only, number: 0 }]
  const places = isByNumber
    ? numbers.map((number) => ({ number, offset: (dataset?.itemCount ?? 0) - number }))
    : chosen.map(({ id, number }) => ({ number, itemId: id }))
  const found = useQuery({
    ...itemsQuery(datasetKey, places),
    enabled: isItems && dataset !== undefined && places.length > 0,
  })
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
    name: number === 0 ? 'Item' : `Item ${number}`,
    hand: undefined,
    item,
  }))
  const queries = [summaries, ...(isByNumber || only !== undefined ? [] : [picked]), found]
  return {
    rows,
    datasets,
    dataset,
    total: only !== undefined ? 1 : isByNumber ? (dataset?.itemCount ?? 0) : (picked.data?.total ?? 0),
    isPending: tried.isLoading || queries.some(({ isLoading }) => isLoading),
    error: queries.find(({ error }) => error !== null),
  }
}

function chosenNumbers(pick: ItemPick, total: number, { count, seed }: { count: number; seed: number }): number[] {
  if (pick === 'seed') return chooseBySeed(total, count, seed)
  return Array.from({ length: Math.min(count, total) }, (_, index) => index + 1)
}
