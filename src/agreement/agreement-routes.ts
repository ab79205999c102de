import { DatasetParams } from '../datasets/dataset-schemas.ts'
import { ok, route } from '../http/route.ts'
import { RunParams } from '../runs/run-schemas.ts'
import { AgreementQuery, AnyAgreement } from './agreement-schemas.ts'
import { readDatasetAgreement, readRunAgreement } from './read-agreement.ts'
import { selectAgreementFields } from './select-agreement-fields.ts'

const tag = 'Annotations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const

export const getDatasetAgreement = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/agreement',
  access: reading,
  summary: 'Get the agreement between raters, and between raters and judges, for all runs of a dataset',
  tag,
  params: DatasetParams,
  query: AgreementQuery,
  ignoresOtherParameters: true,
  responses: { 200: AnyAgreement },
  handle: async ({ db, principal, params, query }) => {
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    return ok(selectAgreementFields(await readDatasetAgreement(bulk, principal, params), query.include))
  },
})

export const getRunAgreement = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/agreement',
  access: reading,
  summary: 'Get the agreement between raters, and between raters and judges, for a run',
  tag,
  params: RunParams,
  query: AgreementQuery,
  ignoresOtherParameters: true,
  responses: { 200: AnyAgreement },
  handle: async ({ db, principal, params, query }) => {
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    return ok(selectAgreementFields(await readRunAgreement(bulk, principal, params), query.include))
  },
})
