import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { conflict, notFound } from '../base/errors.ts'
import { lockComponent } from '../components/component-queries.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { created, list, noContent, ok, route } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { listLabelsGatedBy } from '../prompts/label-queries.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import { createDataset } from './create-dataset.ts'
import { findDataset, listDatasets, markDatasetDeleted, updateDataset } from './dataset-queries.ts'
import { ChangeDatasetBody, CreateDatasetBody, Dataset, DatasetParams } from './dataset-schemas.ts'

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

const deleteDataset = route({
  method: 'DELETE',
  path: '/components/:componentId/datasets/:datasetId',
  ignoresOtherParameters: true,
  access: editing,
  summary: 'Delete a dataset with its runs and evaluations',
  tag,
  params: DatasetParams,
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    const { workspaceId } = principal
    await db.transaction(async (tx) => {
      const isThere = await lockComponent(tx, workspaceId, params.componentId)
      const deletedAt = timestamp(context.clock.now())
      if (!isThere || !(await markDatasetDeleted(tx, { workspaceId, ...params, deletedAt }))) throw notFound('Dataset')
      const { datasetId } = params
      // After the row is locked by the change: a gate that is stored at the same time waits for it, or is seen here.
      const [gated] = await listLabelsGatedBy(tx, { workspaceId, datasetId })
      if (gated)
        throw conflict(
          `Label ${gated.label} of prompt ${gated.prompt} needs a verdict on this dataset; an admin changes or removes its gate first`,
        )
      await enqueuePurge(tx, context, { workspaceId, what: 'dataset', id: datasetId })
      await recordAudit(tx, context, { by: principal, workspaceId, action: 'dataset.deleted', resourceId: datasetId })
    })
    return noContent()
  },
})

export const datasetRoutes = [getDatasets, postDataset, getDataset, patchDataset, deleteDataset]
