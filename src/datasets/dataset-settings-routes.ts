import { Type } from 'typebox'
import { recordAudit } from '../auth/audit/audit.ts'
import { notFound } from '../base/errors.ts'
import { lockComponent } from '../components/component-queries.ts'
import { ok, route } from '../http/route.ts'
import { closed, described, NullableInteger, orNull } from '../http/schemas.ts'
import type { Queries } from '../storage/db.ts'
import { DatasetParams } from './dataset-schemas.ts'
import { GROUP_BY_LENGTH_MAX, GROUP_BY_PATTERN } from './items/group-by-path.ts'
import { findGroupBy, updateGroupBy } from './items/item-group-queries.ts'
import { countGroups } from './items/item-groups.ts'

const tag = 'Datasets'
const path = '/components/:componentId/datasets/:datasetId/settings'

const GroupBy = orNull(
  Type.String({
    pattern: GROUP_BY_PATTERN,
    maxLength: GROUP_BY_LENGTH_MAX,
    description: 'The field of the metadata that names the group of an item, such as metadata.document; null for none.',
  }),
)

const DatasetSettings = closed(
  {
    groupBy: GroupBy,
    groups: described(NullableInteger, 'The number of different values in this field; null without groupBy.'),
    itemsWithoutGroup: described(
      NullableInteger,
      'The items without a value in this field, each a group by itself; null without groupBy.',
    ),
  },
  { title: 'DatasetSettings' },
)

const DatasetSettingsBody = closed({ groupBy: GroupBy })

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
