import { recordAudit } from '../auth/audit/audit.ts'
import { notFound } from '../base/errors.ts'
import { lockComponent } from '../components/component-queries.ts'
import { ok, route } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { DatasetParams } from './dataset-schemas.ts'
import { DatasetSettings, DatasetSettingsBody } from './dataset-settings-schemas.ts'
import { findGroupBy, updateGroupBy } from './items/item-group-queries.ts'
import { countGroups } from './items/item-groups.ts'

const tag = 'Datasets'
const path = '/components/:componentId/datasets/:datasetId/settings'

const getDatasetSettings = route({
  method: 'GET',
  path,
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get the settings of a dataset',
  tag,
  params: DatasetParams,
  responses: { 200: DatasetSettings },
  handle: async ({ db, principal, params }) => {
    const named = { workspaceId: principal.workspaceId, ...params }
    const found = await findGroupBy(db.read, named)
    if (!found) throw notFound('Dataset')
    return ok(await settingsOf(db.read, named, found.groupBy))
  },
})

const patchDatasetSettings = route({
  method: 'PATCH',
  path,
  access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
  summary: 'Update the settings of a dataset: the field that groups its items',
  tag,
  params: DatasetParams,
  body: DatasetSettingsBody,
  responses: { 200: DatasetSettings },
  handle: async ({ db, principal, params, body, ...context }) => {
    const { workspaceId } = principal
    const named = { workspaceId, ...params }
    await db.transaction(async (tx) => {
      const isThere = await lockComponent(tx, workspaceId, params.componentId)
      if (!isThere || !(await updateGroupBy(tx, named, body.groupBy))) throw notFound('Dataset')
      // Recorded because it changes the verdicts of all comparisons of the dataset.
      const change = { action: 'dataset.settings-changed', resourceId: params.datasetId } as const
      await recordAudit(tx, context, { by: principal, workspaceId, ...change })
    })
    return ok(await settingsOf(db.read, named, body.groupBy))
  },
})

export const datasetSettingsRoutes = [getDatasetSettings, patchDatasetSettings]

async function settingsOf(q: Queries, dataset: { workspaceId: string; datasetId: string }, groupBy: string | null) {
  const counts = groupBy === null ? { groups: null, itemsWithoutGroup: null } : await countGroups(q, dataset, groupBy)
  return { groupBy, ...counts }
}
