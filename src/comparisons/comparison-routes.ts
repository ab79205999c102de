import { badRequest } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { comparisonSubject, openTestSet } from '../datasets/test-openings.ts'
import { readBoolean } from '../http/query-values.ts'
import { type Context, ok, route } from '../http/route.ts'
import { compareFamily, type FamilyMember } from './compare-family.ts'
import { compareRuns, type Comparison as RunComparison } from './compare-runs.ts'
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
    const { dataset, ...comparison } = await compareRuns(db.read, {
      workspaceId,
      componentId: params.componentId,
      baselineRunId: query.baseline,
      candidateRunId: query.candidate,
      margin: readMargin(query.margin),
      split: query.split,
      isSequential,
      readerId: principal.userId,
      page,
    })
    const looks = await recordLook(db, clock, { workspaceId, comparison, isSequential })
    const testSet = await openTestSetOf({ db, clock }, { workspaceId, dataset, ...comparison })
    return {
      ...ok({ ...comparison, ...looks, testSet }),
      extent: { count: comparison.data.length, total: comparison.total },
    }
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
      split: body.split,
      readerId: userId,
    })
    const record = async ({ dataset, ...comparison }: FamilyMember) => {
      const look = { ...comparison, split: body.split ?? null }
      await recordLook(db, clock, { workspaceId, comparison: look, isSequential: false })
      const testSet = await openTestSetOf({ db, clock }, { workspaceId, dataset, ...comparison })
      return { ...comparison, testSet }
    }
    const candidates: Awaited<ReturnType<typeof record>>[] = []
    // One after the other, so that each opening of the test set has its own number.
    for (const one of family.candidates) candidates.push(await record(one))
    return ok({ ...family, candidates })
  },
})

/** Records that items of the test split were compared. Null if there were none. */
async function openTestSetOf(
  context: Pick<Context, 'db' | 'clock'>,
  {
    workspaceId,
    dataset,
    baseline,
    candidate,
  }: Pick<RunComparison, 'dataset' | 'baseline' | 'candidate'> & { workspaceId: string },
) {
  if (!dataset.readsTest) return null
  const subject = comparisonSubject(baseline, candidate)
  return openTestSet(context, { workspaceId, datasetId: dataset.id, subject })
}

/** Accepts plain decimal numbers only: `Number` would also accept `1e1`, ` 5` and `0x10`. */
function readMargin(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$/.test(text)) return Number(text)
  throw badRequest('The query parameter margin must be a number of at least 0, such as 0.02')
}
