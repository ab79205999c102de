import { badRequest, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { findDataset } from '../datasets/dataset-queries.ts'
import { DatasetParams } from '../datasets/dataset-schemas.ts'
import { type DatasetScope, findItem } from '../datasets/items/item-queries.ts'
import { Item, ItemParams } from '../datasets/items/item-schemas.ts'
import { readLimit } from '../http/query-parameters.ts'
import { type Context, ok, route } from '../http/route.ts'
import { assignSplits } from './assign-splits.ts'
import { deleteItems, setSplit } from './change-items.ts'
import { createNearDuplicateReader } from './find-near-duplicates.ts'
import type { ItemSelection } from './item-filters.ts'
import {
  AssignedSplits,
  AssignSplitsBody,
  BulkItems,
  BulkItemsBody,
  DatasetContents,
  DatasetHealth,
  ITEMS_CHANGED_MAX,
  ItemDetail,
  ItemRows,
  ItemRowsQuery,
  ROWS_PER_PAGE,
} from './item-list-schemas.ts'
import { findItemHistory, listSelectedIds, rowCursor } from './item-row-queries.ts'
import { readDatasetContents } from './read-dataset-contents.ts'
import { readDatasetHealth } from './read-dataset-health.ts'
import { readItemRow, readItemRows } from './read-item-rows.ts'
import { type ItemReads, selectItemIds } from './select-item-ids.ts'

const path = '/components/:componentId/datasets/:datasetId'
const reading = {
  method: 'GET',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  tag: 'Dataset items',
  isCancellable: true,
} as const
const editing = {
  method: 'POST',
  access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
  tag: 'Dataset items',
  params: DatasetParams,
} as const

/** The routes share what was found of near-duplicates. */
export function itemListRoutes() {
  const readNearDuplicates = createNearDuplicateReader()

  /** The reads of a request, after it is sure that the dataset exists. */
  async function openDataset(
    { db, signal }: Pick<Context, 'db' | 'signal'>,
    { workspaceId }: Principal,
    params: { componentId: string; datasetId: string },
  ): Promise<{ reads: ItemReads; scope: DatasetScope }> {
    const q = db.bulk({ application: workspaceId, signal, from: 'request' })
    const { componentId, datasetId } = params
    const scope = { workspaceId, componentId, datasetId }
    const [dataset] = await findDataset(q, scope)
    if (!dataset) throw notFound('Dataset')
    return { reads: { db, q, signal, readNearDuplicates }, scope }
  }

  const getItemRows = route({
    ...reading,
    path: `${path}/item-rows`,
    summary: 'List items with previews and the results of the newest runs',
    params: DatasetParams,
    query: ItemRowsQuery,
    responses: { 200: ItemRows },
    handle: async ({ principal, params, query, ...context }) => {
      const { sort = 'newest', cursor, limit, ...selection } = query
      const page = { sort, after: rowCursor.read(cursor, sort), limit: readLimit(limit, ROWS_PER_PAGE) }
      const { reads, scope } = await openDataset(context, principal, params)
      return ok(await readItemRows(reads, principal, scope, selection, page))
    },
  })

  const getItemDetail = route({
    ...reading,
    path: `${path}/item-rows/:itemId`,
    summary: 'Get an item with its history and the results of the newest runs',
    params: ItemParams,
    responses: { 200: ItemDetail },
    handle: async ({ principal, params, ...context }) => {
      const { reads, scope } = await openDataset(context, principal, params)
      const itemId = params.itemId.toLowerCase()
      const item = await findItem(reads.q, { ...scope, itemId })
      const found = await readItemRow(reads.q, principal, scope, itemId)
      const history = await findItemHistory(reads.q, scope, itemId)
      if (!item || !found || !history) throw notFound('Item')
      return ok({ item, ...found, history })
    },
  })

  const getItem = route({
    ...reading,
    path: `${path}/items/:itemId`,
    summary: 'Get an item',
    params: ItemParams,
    responses: { 200: Item },
    handle: async ({ db, principal, params }) => {
      const item = await findItem(db.read, { workspaceId: principal.workspaceId, ...params })
      if (!item) throw notFound('Item')
      return ok(item)
    },
  })

  const getContents = route({
    ...reading,
    path: `${path}/contents`,
    summary: 'Count the items of a dataset by split, source and what turned in the newest run',
    params: DatasetParams,
    responses: { 200: DatasetContents },
    handle: async ({ principal, params, ...context }) => {
      const { reads, scope } = await openDataset(context, principal, params)
      return ok(await readDatasetContents(reads.q, principal, scope))
    },
  })

  const getHealth = route({
    ...reading,
    path: `${path}/health`,
    summary: 'Find duplicate, conflicting, unused and overused items of a dataset',
    params: DatasetParams,
    responses: { 200: DatasetHealth },
    handle: async ({ principal, params, ...context }) => {
      const { reads, scope } = await openDataset(context, principal, params)
      return ok(await readDatasetHealth(reads, scope))
    },
  })

  const postBulk = route({
    ...editing,
    path: `${path}/items/bulk`,
    summary: 'Put many items into a split, or delete them',
    body: BulkItemsBody,
    responses: { 200: BulkItems },
    // Before the transaction: to find near-duplicates needs as much time as many writes of other requests.
    prepare: async ({ principal, params, body, ...context }) => {
      if ((body.set === undefined) === (body.delete === undefined)) {
        throw badRequest('The request body must have either set or delete')
      }
      if ((body.ids === undefined) === (body.where === undefined)) {
        throw badRequest('The request body must have either ids or where')
      }
      const { reads, scope } = await openDataset(context, principal, params)
      return body.ids ?? selectIds(reads, principal, scope, body.where ?? {})
    },
    handle: async ({ principal, params, body, prepared: ids, ...context }) => {
      const { workspaceId, userId } = principal
      const scope = { workspaceId, userId, ...params }
      if (!body.set) return ok(await deleteItems(context, scope, ids))
      return ok(await setSplit(context, scope, { ids, split: body.set.split }))
    },
  })

  const postSplits = route({
    ...editing,
    path: `${path}/assign-splits`,
    summary: 'Distribute items over splits at random, groups together',
    body: AssignSplitsBody,
    responses: { 200: AssignedSplits },
    handle: async ({ principal, params, body, ...context }) => {
      const { workspaceId, userId } = principal
      return ok(await assignSplits(context, { workspaceId, userId, ...params }, body))
    },
  })

  return [getItemRows, getItemDetail, getItem, getContents, getHealth, postBulk, postSplits]
}

async function selectIds(
  reads: ItemReads,
  by: Principal,
  scope: DatasetScope,
  where: ItemSelection,
): Promise<string[]> {
  const { filter, ...selection } = where
  const chosen = { ...selection, ids: filter && (await selectItemIds(reads, by, scope, filter)) }
  const ids = await listSelectedIds(reads.q, scope, chosen, ITEMS_CHANGED_MAX + 1)
  if (ids.length > ITEMS_CHANGED_MAX) {
    throw badRequest(`The field where selects more than ${ITEMS_CHANGED_MAX} items; narrow it`)
  }
  return ids
}
