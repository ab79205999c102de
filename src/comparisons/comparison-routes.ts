import { badRequest } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { readBoolean } from '../http/query-values.ts'
import { ok, route } from '../http/route.ts'
import { compareFamily } from './compare-family.ts'
import { compareRuns } from './compare-runs.ts'
import { CompareCandidates, Comparison, ComparisonFamily, ComparisonQuery } from './comparison-schemas.ts'
import { recordLook } from './record-look.ts'

export const getComparison = route({
  method: 'GET',
  path: '/components/:componentId/comparisons',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Compare two runs of a dataset, with confidence intervals and a verdict per metric',
  tag: 'Comparisons',
  params: ComponentParams,
  query: ComparisonQuery,
  paged: true,
  responses: { 200: Comparison },
  handle: async ({ db, clock, principal, params, query, page }) => {
    const { workspaceId } = principal
    const isSequential = query.sequential !== undefined && readBoolean('sequential', query.sequential)
    const comparison = await compareRuns(db.read, {
      workspaceId,
      componentId: params.componentId,
      baselineRunId: query.baseline,
      candidateRunId: query.candidate,
      margin: readMargin(query.margin),
      isSequential,
      readerId: principal.userId,
      page,
    })
    const looks = await recordLook(db, clock, { workspaceId, comparison, isSequential })
    return { ...ok({ ...comparison, ...looks }), extent: { count: comparison.data.length, total: comparison.total } }
  },
})

export const compareCandidates = route({
  method: 'POST',
  path: '/components/:componentId/comparisons',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Compare several runs with one baseline, corrected for their number',
  tag: 'Comparisons',
  params: ComponentParams,
  body: CompareCandidates,
  responses: { 200: ComparisonFamily },
  handle: async ({ db, clock, principal, params, body }) => {
    const { workspaceId, userId } = principal
    const family = await compareFamily(db.read, {
      workspaceId,
      componentId: params.componentId,
      baselineRunId: body.baseline,
      candidateRunIds: body.candidates,
      metric: body.metric,
      margin: body.margin,
      readerId: userId,
    })
    for (const comparison of family.candidates)
      await recordLook(db, clock, { workspaceId, comparison, isSequential: false })
    return ok(family)
  },
})

/** Accepts plain decimal numbers only: `Number` would also accept `1e1`, ` 5` and `0x10`. */
function readMargin(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$/.test(text)) return Number(text)
  throw badRequest('The query parameter margin must be a number of at least 0, such as 0.02')
}
