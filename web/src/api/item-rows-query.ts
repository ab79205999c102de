/** The items of a dataset as rows of a table, and what can be changed in them. */
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { DatasetKey } from './dataset-items-query.ts'
import type { ChangeItems, DatasetItem, ItemDetail, ItemRow, ItemRows, paths } from './generated/api.ts'

const DATASET = '/components/{componentId}/datasets/{datasetId}'
const ROWS = `${DATASET}/item-rows` as const
const PAGE_SIZE = 100

export type ItemRowsFilter = Omit<NonNullable<paths[typeof ROWS]['get']['parameters']['query']>, 'limit' | 'cursor'>

type Chosen = { [Name in keyof ItemRowsFilter]?: ItemRowsFilter[Name] | undefined }

/** Without what the address does not name. */
export function itemSelection({ q, split, source, filter }: Chosen) {
  return { ...(q && { q }), ...(split && { split }), ...(source && { source }), ...(filter && { filter }) }
}

export function itemRowsFilter(chosen: Chosen) {
  return { ...itemSelection(chosen), sort: chosen.sort ?? 'turned' } as const
}

export function itemRowsQuery({ applicationId, componentId, datasetId }: DatasetKey, filter: ItemRowsFilter) {
  return infiniteQueryOptions({
    queryKey: [...apiKey(ROWS, applicationId), datasetId, filter],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { componentId, datasetId }, query: { ...filter, limit: PAGE_SIZE, ...pageParam } }
      return dataOf(api.GET(ROWS, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    // The former rows stay while a search is typed.
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({
      rows: pages.flatMap(({ data }) => data),
      runs: pages[0]?.runs ?? [],
      total: pages[0]?.total ?? 0,
    }),
  })
}

export function itemDetailQuery(key: DatasetKey, itemId: string) {
  const { applicationId, componentId, datasetId } = key
  return apiQuery(`${ROWS}/{itemId}`, { applicationId, params: { path: { componentId, datasetId, itemId } } })
}

export function datasetContentsQuery({ applicationId, componentId, datasetId }: DatasetKey) {
  return apiQuery(`${DATASET}/contents`, { applicationId, params: { path: { componentId, datasetId } } })
}

export function datasetHealthQuery({ applicationId, componentId, datasetId }: DatasetKey) {
  return apiQuery(`${DATASET}/health`, { applicationId, params: { path: { componentId, datasetId } } })
}

export function datasetSettingsQuery({ applicationId, componentId, datasetId }: DatasetKey) {
  return apiQuery(`${DATASET}/settings`, { applicationId, params: { path: { componentId, datasetId } } })
}

export function testOpeningsQuery({ applicationId, componentId, datasetId }: DatasetKey) {
  const params = { path: { componentId, datasetId }, query: { limit: 5 } }
  return apiQuery(`${DATASET}/test-openings`, { applicationId, params })
}

export type ItemChange = Partial<Pick<DatasetItem, 'input' | 'expected' | 'metadata' | 'split'>>

export async function readItem(key: DatasetKey, itemId: string): Promise<DatasetItem> {
  return dataOf(api.GET(`${DATASET}/items/{itemId}`, inItem(key, itemId)))
}

export async function changeItem(key: DatasetKey, itemId: string, body: ItemChange): Promise<DatasetItem> {
  return dataOf(api.PATCH(`${DATASET}/items/{itemId}`, { ...inItem(key, itemId), body }))
}

export async function changeItems(key: DatasetKey, body: ChangeItems) {
  return dataOf(api.POST(`${DATASET}/items/bulk`, { ...inDataset(key), body }))
}

export interface SplitAssignment {
  shares: { train: number; validation: number; test: number }
  seed: string
  items: 'all' | 'without_split'
}

export async function assignSplits(key: DatasetKey, body: SplitAssignment) {
  return dataOf(api.POST(`${DATASET}/assign-splits`, { ...inDataset(key), body }))
}

export async function changeGroupBy(key: DatasetKey, groupBy: string | null) {
  return dataOf(api.PATCH(`${DATASET}/settings`, { ...inDataset(key), body: { groupBy } }))
}

/** The file as text. By `fetch`, because a link cannot send the application. */
export async function exportItems(key: DatasetKey, format: 'csv' | 'jsonl') {
  const { applicationId, ...path } = key
  const init = { ...inApplication(applicationId), params: { path, query: { format } }, parseAs: 'blob' as const }
  const { data, response } = await api.GET(`${DATASET}/export`, init)
  const [, name = `dataset.${format}`] =
    /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  return { blob: data, name }
}

/** Shows a changed item in all lists at once. Reading them again would move rows that a filter no longer finds. */
export function showChangedItem(queryClient: QueryClient, key: DatasetKey, item: DatasetItem): void {
  queryClient.setQueriesData<InfiniteData<ItemRows>>({ queryKey: rowsKey(key) }, (list) => {
    if (!list?.pages) return list
    const pages = list.pages.map((page) => ({
      ...page,
      data: page.data.map((row) => (row.id === item.id ? withChange(row, item) : row)),
    }))
    return { ...list, pages }
  })
  queryClient.setQueryData<ItemDetail>(
    itemDetailQuery(key, item.id).queryKey,
    (detail) => detail && { ...detail, item, row: withChange(detail.row, item) },
  )
  void refreshCounts(queryClient, key)
}

function withChange(row: ItemRow, { input, expected, metadata, split }: DatasetItem): ItemRow {
  const json = Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)
  return { ...row, split, input: previewOf(input), expected: previewOf(expected), metadata: previewOf(json) }
}

const PREVIEW_LENGTH = 200

function previewOf(text: string | null): ItemRow['input'] {
  return text === null ? null : { text: text.slice(0, PREVIEW_LENGTH), length: text.length }
}

/** What is counted about the items. */
async function refreshCounts(queryClient: QueryClient, { applicationId }: DatasetKey): Promise<void> {
  const counted = [`${DATASET}/contents`, `${DATASET}/health`, `${DATASET}/settings`] as const
  await Promise.all(counted.map((path) => queryClient.invalidateQueries({ queryKey: apiKey(path, applicationId) })))
}

/** After items were added, deleted or distributed. */
export async function refreshItems(queryClient: QueryClient, key: DatasetKey): Promise<void> {
  const { applicationId } = key
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: rowsKey(key) }),
    queryClient.invalidateQueries({ queryKey: apiKey(`${ROWS}/{itemId}`, applicationId) }),
    queryClient.invalidateQueries({ queryKey: apiKey(DATASET, applicationId) }),
    queryClient.invalidateQueries({ queryKey: apiKey('/components/{componentId}/dataset-summaries', applicationId) }),
    refreshCounts(queryClient, key),
  ])
}

function rowsKey({ applicationId, datasetId }: DatasetKey) {
  return [...apiKey(ROWS, applicationId), datasetId]
}

function inDataset({ applicationId, componentId, datasetId }: DatasetKey) {
  return { ...inApplication(applicationId), params: { path: { componentId, datasetId } } }
}

function inItem({ applicationId, componentId, datasetId }: DatasetKey, itemId: string) {
  return { ...inApplication(applicationId), params: { path: { componentId, datasetId, itemId } } }
}
