import { list, route } from '../../http/route.ts'
import { listOf } from '../../http/schemas.ts'
import { DatasetParams } from '../dataset-schemas.ts'
import { listTestOpenings } from './split-queries.ts'
import { TestOpening } from './split-schemas.ts'
import { openingOf } from './test-openings.ts'

export const getTestOpenings = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/test-openings',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'List the evaluations, comparisons and trials that have read the test split of a dataset, newest first',
  tag: 'Datasets',
  params: DatasetParams,
  paged: true,
  responses: { 200: listOf(TestOpening) },
  handle: async ({ db, principal, params, page }) => {
    const found = await listTestOpenings(db.read, { workspaceId: principal.workspaceId, ...params, ...page })
    return list({ ...found, rows: found.rows.map(openingOf) })
  },
})
