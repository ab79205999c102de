import { notFound } from '../base/errors.ts'
import { lockComponent } from '../components/component-queries.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { created, list, noContent, ok, route } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { createDataset } from './create-dataset.ts'
import { findDataset, listDatasets, updateDataset } from './dataset-queries.ts'
import { ChangeDatasetBody, CreateDatasetBody, Dataset, DatasetParams } from './dataset-schemas.ts'
import { deleteDataset } from './delete-dataset.ts'

const tag = 'Datasets'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const getDatasets = route({
  method: 'GET',
  path: '/components/:componentId/datasets',
  ignoresOtherParameters: true,
  access: reading,
  summary: 'List the datasets of a component, newest first',
  tag,
  params: ComponentParams,
  paged: true,
  responses: { 200: listOf(Dataset) },
  handle: async ({ db, principal, params, page }) =>
    list(await listDatasets(db.read, { workspaceId: principal.workspaceId, ...params, ...page })),
})

const postDataset = route({
  method: 'POST',
  path: '/components/:componentId/datasets',
  ignoresOtherParameters: true,
  access: editing,
  summary: 'Create a dataset, optionally from traces',
  tag,
  params: ComponentParams,
  body: CreateDatasetBody,
  responses: { 201: Dataset },
  handle: async ({ principal, params, body, ...context }) =>
    created(await createDataset(context, { workspaceId: principal.workspaceId, ...params, ...body })),
})

const getDataset = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId',
  ignoresOtherParameters: true,
  access: reading,
  summary: 'Get a dataset',
  tag,
  params: DatasetParams,
  responses: { 200: Dataset },
  handle: async ({ db, principal, params }) => {
    const [dataset] = await findDataset(db.read, { workspaceId: principal.workspaceId, ...params })
    if (!dataset) throw notFound('Dataset')
    return ok(dataset)
  },
})

const patchDataset = route({
  method: 'PATCH',
  path: '/components/:componentId/datasets/:datasetId',
  access: editing,
  summary: 'Update the name or the description of a dataset',
  tag,
  params: DatasetParams,
  body: ChangeDatasetBody,
  responses: { 200: Dataset },
  handle: async ({ db, principal, params, body }) => {
    const named = { workspaceId: principal.workspaceId, ...params }
    const dataset = await db.transaction(async (tx) => {
      const isThere = await lockComponent(tx, named.workspaceId, params.componentId)
      if (!isThere || !(await updateDataset(tx, named, body))) throw notFound('Dataset')
      const [changed] = await findDataset(tx, named)
      return changed
    })
    return ok(dataset)
  },
})

const removeDataset = route({
  method: 'DELETE',
  path: '/components/:componentId/datasets/:datasetId',
  ignoresOtherParameters: true,
  access: editing,
  summary: 'Delete a dataset with its runs and evaluations',
  tag,
  params: DatasetParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await deleteDataset(context, principal, params)
    return noContent()
  },
})

export const datasetRoutes = [getDatasets, postDataset, getDataset, patchDataset, removeDataset]
