import { DatasetParams } from '../datasets/dataset-schemas.ts'
import { ok, route } from '../http/route.ts'
import { RunParams } from '../runs/run-schemas.ts'
import { Agreement } from './agreement-schemas.ts'
import { readDatasetAgreement, readRunAgreement } from './read-agreement.ts'

const tag = 'Annotations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const

export const getDatasetAgreement = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/agreement',
  access: reading,
  summary: 'Get the agreement between raters, and between raters and judges, for all runs of a dataset',
  tag,
  params: DatasetParams,
  responses: { 200: Agreement },
  handle: async ({ db, principal, params }) => {
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    return ok(await readDatasetAgreement(bulk, principal, params))
  },
})

export const getRunAgreement = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/agreement',
  access: reading,
  summary: 'Get the agreement between raters, and between raters and judges, for a run',
  tag,
  params: RunParams,
  responses: { 200: Agreement },
  handle: async ({ db, principal, params }) => {
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    return ok(await readRunAgreement(bulk, principal, params))
  },
})
