import { ComponentParams } from '../components/component-schemas.ts'
import { readBoolean, readNames, readNumber, readUuid } from '../http/query-parameters.ts'
import { ok, route } from '../http/route.ts'
import { compareFamily, type FamilyMember } from './compare-family.ts'
import { compareRuns } from './compare-runs.ts'
import { CompareCandidates, Comparison, ComparisonFamily, ComparisonQuery } from './comparison-schemas.ts'
import { openTestSetOf, recordComparisonLook } from './record-comparison-look.ts'
import { readRowTexts } from './rows/read-row-texts.ts'
import { readRunPrompts } from './run-prompt-queries.ts'

const getComparison = route({
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
    const isSequential = query.sequential === undefined ? undefined : readBoolean('sequential', query.sequential)
    const { filter, metric, item } = query
    const itemId = item === undefined ? undefined : readUuid('item', item)
    const hasTexts = query.include !== undefined && readNames('include', query.include, ['texts']).length > 0
    const hasSelection = hasTexts || [filter, metric, itemId].some((given) => given !== undefined)
    const { dataset, selection, look, ...comparison } = await compareRuns(db.read, {
      workspaceId,
      componentId: params.componentId,
      baselineRunId: query.baseline,
      candidateRunId: query.candidate,
      margin: readMargin(query.margin),
      split: query.split,
      isSequential,
      readerId: principal.userId,
      page,
      rows: hasSelection ? { filter, metric, itemId } : undefined,
    })
    const looks = await recordComparisonLook(db, clock, look)
    const testSet = await openTestSetOf({ db, clock }, { workspaceId, dataset, ...comparison })
    const prompts = await readRunPrompts(db.read, {
      workspaceId,
      baselineRunId: query.baseline,
      candidateRunId: query.candidate,
    })
    const result = { ...comparison, ...looks, prompts, testSet }
    const { data, total } = comparison
    if (!selection) return { ...ok(result), extent: { count: data.length, total } }
    const { counts, selected, rows, metrics } = selection
    const extent = { count: data.length, total: selected }
    if (!hasTexts) return { ...ok({ ...result, counts }), extent }
    const texts = await readRowTexts(
      db.read,
      {
        ...comparison,
        workspaceId,
        datasetId: dataset.id,
        readerId: principal.userId,
        metrics,
        textLengthMax: itemId === undefined ? undefined : Number.POSITIVE_INFINITY,
      },
      rows,
    )
    const rowsWithTexts = data.map((row, index) => ({ ...row, texts: texts[index] }))
    return { ...ok({ ...result, counts, data: rowsWithTexts }), extent }
  },
})

const compareCandidates = route({
  method: 'POST',
  path: '/components/:componentId/comparisons',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Compare several runs with one baseline, corrected for their number',
  tag: 'Comparisons',
  params: ComponentParams,
  body: CompareCandidates,
  responses: { 200: ComparisonFamily },
  isRepeatable: true,
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
    const record = async ({ dataset, look, ...comparison }: FamilyMember) => {
      await recordComparisonLook(db, clock, look)
      const testSet = await openTestSetOf({ db, clock }, { workspaceId, dataset, ...comparison })
      return { ...comparison, testSet }
    }
    const candidates: Awaited<ReturnType<typeof record>>[] = []
    // One after the other, so that each opening of the test set has its own number.
    for (const one of family.candidates) candidates.push(await record(one))
    const { summary, chosen } = family
    return ok({ summary, chosen, candidates })
  },
})

export const comparisonRoutes = [getComparison, compareCandidates]

export function readMargin(text: string | undefined): number | undefined {
  return text === undefined ? undefined : readNumber('margin', text, { minimum: 0, example: 0.02 })
}
