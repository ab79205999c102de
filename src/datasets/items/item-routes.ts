import { notFound } from '../../base/errors.ts'
import { created, noContent, ok, route, streamed } from '../../http/route.ts'
import { listOf } from '../../http/schemas.ts'
import { findDataset } from '../dataset-queries.ts'
import { DatasetParams } from '../dataset-schemas.ts'
import { exportedItems, fileNameOf } from '../files/export-items.ts'
import { JSONL } from '../files/import-items.ts'
import { CSV, JSON_ARRAY } from '../imports/read-import-file.ts'
import { addItems } from './add-items.ts'
import { addItemsFromQuery, findTracesToAdd } from './add-items-from-query.ts'
import { changeItem, removeItem } from './change-item.ts'
import {
  AddItemsBody,
  ChangeItemBody,
  ExportQuery,
  Item,
  ItemParams,
  ItemsFromQuery,
  ItemsFromQueryBody,
  ItemsQuery,
} from './item-schemas.ts'
import { listItems } from './list-items.ts'

const tag = 'Dataset items'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

function changingBy({ workspaceId, userId }: { workspaceId: string; userId: string }) {
  return { workspaceId, userId }
}

const EXPORT_TYPES = {
  csv: `${CSV}; charset=utf-8; header=present`,
  jsonl: `${JSONL}; charset=utf-8`,
  json: `${JSON_ARRAY}; charset=utf-8`,
} as const

const getDatasetItems = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/items',
  access: reading,
  summary: 'List the items of a dataset or of one split, newest first',
  tag,
  params: DatasetParams,
  query: ItemsQuery,
  paged: true,
  responses: { 200: listOf(Item) },
  handle: async ({ db, principal, params, query, page }) => {
    const scope = { workspaceId: principal.workspaceId, ...params }
    const { pieces, extent } = await listItems(db.read, scope, { ...page, ...query })
    return { ...streamed('application/json; charset=utf-8', pieces), extent }
  },
})

const postDatasetItems = route({
  method: 'POST',
  path: '/components/:componentId/datasets/:datasetId/items',
  access: editing,
  summary: 'Add one or more items to a dataset',
  tag,
  params: DatasetParams,
  body: AddItemsBody,
  responses: { 201: listOf(Item) },
  handle: async ({ principal, params, body, ...context }) =>
    created({ data: await addItems(context, { ...changingBy(principal), ...params }, body) }),
})

const postDatasetItemsFromQuery = route({
  method: 'POST',
  path: '/components/:componentId/datasets/:datasetId/items/from-query',
  access: editing,
  summary: 'Add the newest traces that match a query as items of a dataset',
  tag,
  params: DatasetParams,
  body: ItemsFromQueryBody,
  responses: { 201: ItemsFromQuery },
  prepare: async ({ principal, params, body, ...context }) =>
    findTracesToAdd(context, { ...changingBy(principal), ...params }, body),
  handle: async ({ principal, params, body, prepared: traceRefs, ...context }) =>
    created(await addItemsFromQuery(context, { ...changingBy(principal), ...params }, { ...body, traceRefs })),
})

const patchDatasetItem = route({
  method: 'PATCH',
  path: '/components/:componentId/datasets/:datasetId/items/:itemId',
  access: editing,
  summary: 'Update an item',
  tag,
  params: ItemParams,
  body: ChangeItemBody,
  responses: { 200: Item },
  handle: async ({ principal, params, body, ...context }) =>
    ok(await changeItem(context, { ...changingBy(principal), ...params }, body)),
})

const deleteDatasetItem = route({
  method: 'DELETE',
  path: '/components/:componentId/datasets/:datasetId/items/:itemId',
  access: editing,
  summary: 'Delete an item',
  tag,
  params: ItemParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await removeItem(context, { ...changingBy(principal), ...params })
    return noContent()
  },
})

export const itemRoutes = [
  getDatasetItems,
  postDatasetItems,
  postDatasetItemsFromQuery,
  patchDatasetItem,
  deleteDatasetItem,
]

export const getDatasetExport = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/export',
  access: reading,
  summary: 'Export the items of a dataset as a file that can be imported again',
  tag,
  params: DatasetParams,
  query: ExportQuery,
  responses: { 200: null },
  streams: [JSONL, CSV, JSON_ARRAY],
  handle: async ({ db, principal, params, query }) => {
    const scope = { workspaceId: principal.workspaceId, ...params }
    const bulk = db.bulk({ application: scope.workspaceId, from: 'request' })
    // The first bulk read: an application with too many exports gets 429 before the response begins.
    const [dataset] = await findDataset(bulk, scope)
    if (!dataset) throw notFound('Dataset')
    const { format = 'jsonl' } = query
    return streamed(EXPORT_TYPES[format], exportedItems(bulk, scope, format), {
      'content-disposition': `attachment; filename="${fileNameOf(dataset.name, format)}"`,
    })
  },
})
