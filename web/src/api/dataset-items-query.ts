/** Adds traces to a dataset, and takes that back. */
import { api, dataOf, inApplication } from './api-client.ts'
import type { DatasetItem, ItemsFromQuery, NewDatasetItem } from './generated/api.ts'
import type { TraceFilter } from './trace-list-query.ts'

export interface DatasetKey {
  applicationId: string
  componentId: string
  datasetId: string
}

export interface AddedItems {
  added: number
  /** Traces that were items before. */
  skipped: number
  addedIds: string[]
  /** The items of the skipped traces, as far as the API returns them. */
  existing: DatasetItem[]
}

/** Limit of the API. */
export const ITEMS_PER_REQUEST = 1_000

export async function addItems(key: DatasetKey, items: NewDatasetItem[]): Promise<AddedItems> {
  const newestId = await findNewestItemId(key)
  const given: DatasetItem[] = []
  for (let at = 0; at < items.length; at += ITEMS_PER_REQUEST) {
    const body = items.slice(at, at + ITEMS_PER_REQUEST)
    given.push(...(await dataOf(api.POST(ITEMS, { ...inDataset(key), body }))).data)
  }
  const distinct = [...new Map(given.map((item) => [item.id, item])).values()]
  // The response has an item for each trace, also for those that were there before. Ids increase with time.
  const addedIds = distinct.map(({ id }) => id).filter((id) => id > newestId)
  const existing = distinct.filter(({ id }) => id <= newestId)
  return { added: addedIds.length, skipped: items.length - addedIds.length, addedIds, existing }
}

export async function addItemsFromQuery(key: DatasetKey, body: ItemsFromQuery): Promise<AddedItems> {
  const { added, skipped, addedIds } = await dataOf(api.POST(`${ITEMS}/from-query`, { ...inDataset(key), body }))
  return { added, skipped, addedIds, existing: [] }
}

/** A query has at most 50 terms and 2,000 characters. */
const IDS_PER_QUERY = 40

/** The output of each trace is the expected output of its item. Lists have only the beginning of outputs, so the server reads them. */
export async function addItemsWithOutput(key: DatasetKey, traceIds: string[]): Promise<AddedItems> {
  let skipped = 0
  const addedIds: string[] = []
  for (let at = 0; at < traceIds.length; at += IDS_PER_QUERY) {
    const ids = traceIds.slice(at, at + IDS_PER_QUERY)
    const q = ids.map((id) => `id:${id}`).join(' OR ')
    const part = await addItemsFromQuery(key, { q, limit: ids.length, expected: 'output' })
    addedIds.push(...part.addedIds)
    skipped += part.skipped
  }
  return { added: addedIds.length, skipped, addedIds, existing: [] }
}

/** The filter of a list as one query. */
export function queryOfFilter({ q, from, to }: TraceFilter): string {
  const times = [...(from ? [`start:>=${from}`] : []), ...(to ? [`start:<${to}`] : [])]
  const terms = q && times.length > 0 ? [`(${q})`, ...times] : [...(q ? [q] : []), ...times]
  // Every trace has a start.
  return terms.join(' ') || 'start:*'
}

export async function replaceExpected(key: DatasetKey, itemId: string, expected: string): Promise<DatasetItem> {
  return dataOf(api.PATCH(`${ITEMS}/{itemId}`, { ...inItem(key, itemId), body: { expected } }))
}

/** Few at a time, so that the requests of the page are not throttled. */
const DELETIONS_AT_ONCE = 5

export async function deleteItems(key: DatasetKey, itemIds: string[]): Promise<void> {
  for (let at = 0; at < itemIds.length; at += DELETIONS_AT_ONCE) {
    const ids = itemIds.slice(at, at + DELETIONS_AT_ONCE)
    await Promise.all(ids.map((itemId) => api.DELETE(`${ITEMS}/{itemId}`, inItem(key, itemId))))
  }
}

export async function createDataset(applicationId: string, componentId: string, name: string, description?: string) {
  const params = { path: { componentId } }
  const body = { name, ...(description && { description }) }
  return dataOf(api.POST('/components/{componentId}/datasets', { ...inApplication(applicationId), params, body }))
}

export async function renameDataset(key: DatasetKey, body: { name: string; description: string | null }) {
  return dataOf(api.PATCH('/components/{componentId}/datasets/{datasetId}', { ...inDataset(key), body }))
}

export async function deleteDataset(key: DatasetKey): Promise<void> {
  await api.DELETE('/components/{componentId}/datasets/{datasetId}', inDataset(key))
}

const ITEMS = '/components/{componentId}/datasets/{datasetId}/items'

function inDataset({ applicationId, ...path }: DatasetKey) {
  return { ...inApplication(applicationId), params: { path } }
}

function inItem({ applicationId, ...path }: DatasetKey, itemId: string) {
  return { ...inApplication(applicationId), params: { path: { ...path, itemId } } }
}

/** Empty if the dataset has no items. */
async function findNewestItemId({ applicationId, ...path }: DatasetKey): Promise<string> {
  const params = { path, query: { limit: 1 } }
  const { data } = await dataOf(api.GET(ITEMS, { ...inApplication(applicationId), params }))
  return data[0]?.id ?? ''
}
