import { badRequest } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { comparisonSubject, openTestSet } from '../datasets/test-openings.ts'
import { ok, route } from '../http/route.ts'
import { compareRuns } from './compare-runs.ts'
import { Comparison, ComparisonQuery } from './comparison-schemas.ts'

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
    const { dataset, ...comparison } = await compareRuns(db.read, {
      workspaceId: principal.workspaceId,
      componentId: params.componentId,
      baselineRunId: query.baseline,
      candidateRunId: query.candidate,
      margin: readMargin(query.margin),
      split: query.split,
      readerId: principal.userId,
      page,
    })
    const opening = {
      workspaceId: principal.workspaceId,
      datasetId: dataset.id,
      subject: comparisonSubject(comparison.baseline, comparison.candidate),
    }
    const testSet = dataset.readsTest ? await openTestSet({ db, clock }, opening) : null
    return { ...ok({ ...comparison, testSet }), extent: { count: comparison.data.length, total: comparison.total } }
  },
})

/** Accepts plain decimal numbers only: `Number` would also accept `1e1`, ` 5` and `0x10`. */
function readMargin(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$/.test(text)) return Number(text)
  throw badRequest('The query parameter margin must be a number of at least 0, such as 0.02')
}
