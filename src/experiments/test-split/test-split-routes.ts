import { DatasetParams } from '../../datasets/dataset-schemas.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { ErrorBody } from '../../http/schemas.ts'
import type { ReadNearDuplicates } from '../../item-lists/find-near-duplicates.ts'
import { describeTestSplit, drawTestSplit, readFreshItems } from './draw-test-split.ts'
import { TestSplit } from './test-split-schemas.ts'

const tag = 'Datasets'
const path = '/components/:componentId/datasets/:datasetId/test-split'

export function testSplitRoutes(readNearDuplicates: ReadNearDuplicates): Route[] {
  const getTestSplit = route({
    method: 'GET',
    path,
    access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
    summary: 'Get how often the test split of a dataset has decided, and whether a new one can be drawn',
    tag,
    params: DatasetParams,
    responses: { 200: TestSplit },
    // Compares all items.
    prepare: ({ principal: { workspaceId }, params, ...context }) =>
      readFreshItems(context, readNearDuplicates, { workspaceId, ...params }),
    handle: async ({ db, principal: { workspaceId }, params, prepared }) =>
      ok(await describeTestSplit(db.read, { workspaceId, ...params }, prepared)),
  })
  const postTestSplit = route({
    method: 'POST',
    path,
    access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
    summary:
      'Draw a new test split from items that nothing was learned from; the items of the old one become training items, and its openings are counted separately',
    tag,
    params: DatasetParams,
    responses: { 200: TestSplit, 409: ErrorBody },
    prepare: ({ principal: { workspaceId }, params, ...context }) =>
      readFreshItems(context, readNearDuplicates, { workspaceId, ...params }),
    handle: async ({ principal: { workspaceId, userId }, params, prepared, ...context }) => {
      const scope = { workspaceId, ...params }
      const drawn = await drawTestSplit(context, { ...scope, userId }, prepared)
      return ok(await describeTestSplit(context.db.read, scope, drawn))
    },
  })
  return [getTestSplit, postTestSplit]
}
