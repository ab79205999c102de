/**
 * The cases of a run for a table. What decides about the order and the filters is read for all traces of the run, which is little; texts,
 * scores and ratings are read for the rows of the page only.
 */

import { isVisibleTo, listBlindRuns } from '../../annotations/blind-annotation-queries.ts'
import { listTraceRatings } from '../../annotations/trace-rating-queries.ts'
import { badRequest, notFound } from '../../base/errors.ts'
import { chunksOf, readPages } from '../../base/event-loop.ts'
import type { Principal } from '../../base/principal.ts'
import { listEvaluatedItems, listRunCases } from '../../comparisons/pairing/comparison-queries.ts'
import type { RunCase } from '../../comparisons/pairing/pair-items.ts'
import type { Context } from '../../http/route.ts'
import { findItemsByQuestion } from '../../runs/items-by-question.ts'
import { findRun } from '../../runs/run-queries.ts'
import { listRunEvaluations } from '../../scores/run-evaluation-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { readPreviews } from '../../trace-lists/trace-previews.ts'
import { listTraceDetails } from '../../trace-lists/trace-row-queries.ts'
import { previewOf } from '../../traces/list-fields.ts'
import { readTraceFilter } from '../../traces/trace-filter.ts'
import { dollars, milliseconds } from '../../traces/trace-summary.ts'
import { readResults } from '../read-results.ts'
import { scoresOfCase, spreadOf } from './case-scores.ts'
import {
  CASE_FILTERS,
  type CaseFilter,
  type CaseGroup,
  type CasePosition,
  type CaseSort,
  comparePositions,
  filtersOf,
  groupCases,
  runCaseCursor,
  sortValueOf,
} from './group-cases.ts'
import {
  type CaseScoreRow,
  listCaseScores,
  listItemTexts,
  listMatchingRefs,
  listOutcomes,
  listRatedRefs,
} from './run-case-queries.ts'
import { CASES_PER_ROW_MAX } from './run-case-schemas.ts'

const ROWS_PER_STATEMENT = 2_000
/** So many traces without a link to an item are matched by their input, which must be read for it. */
const MATCHED_BY_INPUT_MAX = 1_000
/** A page ends early if its rows have very many repetitions. */
const CASES_PER_PAGE_MAX = 1_000

type CasesRequest = {
  componentId: string
  runId: string
  q: string | undefined
  filter: CaseFilter | undefined
  metric: string | undefined
  sort: CaseSort
  cursor: string | undefined
  limit: number
}

type Scope = { workspaceId: string; runId: string; datasetId: string }

export async function readRunCases(
  { db, clock, signal }: Pick<Context, 'db' | 'clock' | 'signal'>,
  by: Principal,
  { componentId, runId, q: query, filter, metric: askedMetric, sort, cursor, limit }: CasesRequest,
) {
  const { workspaceId, userId } = by
  const [run] = await findRun(db.read, { workspaceId, componentId, runId })
  if (!run) throw notFound('Run')
  const after = runCaseCursor.read(cursor, sort)
  const traceFilter = query === undefined ? undefined : readTraceFilter({ q: query }, clock.now())
  if (traceFilter && !traceFilter.condition) throw badRequest('The query parameter q must have a condition')
  const q = db.search({ application: workspaceId, signal, from: 'request' })
  const scope = { workspaceId, runId, datasetId: run.datasetId }
  const evaluationIds = (await listRunEvaluations(q, { workspaceId, runIds: [runId] })).map(({ id }) => id)
  const evaluation = (await readResults(q, by, { evaluationIds })).metricsOf(...evaluationIds)
  const evaluators = new Map(evaluation?.metrics.map((one) => [one.name, one.evaluationId]))
  const metric = askedMetric !== undefined && evaluators.has(askedMetric) ? askedMetric : (evaluation?.headline ?? null)
  const isVisible = isVisibleTo(userId, await listBlindRuns(q, { workspaceId, readerId: userId, runId }))
  const rated = new Set(await listRatedRefs(q, scope, isVisible))
  const measuredIn = evaluators.get(metric ?? '')
  const results =
    metric === null || measuredIn === undefined
      ? []
      : await listOutcomes(q, { workspaceId, evaluationId: measuredIn }, metric)
  const outcomes = Map.groupBy(results, ({ ref }) => ref)

  const { cases, itemsAreComplete } = await readCases(q, scope, evaluationIds)
  const all = groupCases(cases)
  const searched = traceFilter ? await matchingGroups(q, workspaceId, all, traceFilter) : all
  const hasPassMark = results.some(({ passed }) => passed !== null)
  const higherIsBetter = evaluation?.metrics.find(({ name }) => name === metric)?.higherIsBetter ?? true
  const rows = searched.map((group) => ({
    group,
    filters: filtersOf(group, { rated, outcomes, hasPassMark }),
    position: { value: sortValueOf(group, sort, { outcomes, higherIsBetter }), key: group.key },
  }))
  const matching = filter === undefined ? rows : rows.filter(({ filters }) => filters.has(filter))
  const following = matching
    .filter(({ position }) => after === undefined || comparePositions(sort, position, after) > 0)
    .toSorted((a, b) => comparePositions(sort, a.position, b.position))
  const page = cutPage(following, limit)
  const last = page.at(-1)
  return {
    data: await readRows(
      q,
      { ...scope, evaluators, isVisible },
      page.map(({ group }) => group),
    ),
    nextCursor: last && following.length > page.length ? runCaseCursor.write(last.position, sort) : null,
    total: matching.length,
    traces: matching.reduce((sum, { group }) => sum + group.cases.length, 0),
    counts: countFilters(rows),
    evaluation,
    metric,
    itemsAreComplete,
  }
}

type Row = { group: CaseGroup; filters: ReadonlySet<CaseFilter>; position: CasePosition }

/** At least one row, and no more when their traces become very many. */
function cutPage(rows: readonly Row[], limit: number): Row[] {
  const page: Row[] = []
  let cases = 0
  for (const row of rows) {
    cases += row.group.cases.length
    if (page.length === limit || (page.length > 0 && cases > CASES_PER_PAGE_MAX)) break
    page.push(row)
  }
  return page
}

function countFilters(rows: readonly Row[]) {
  const ofFilter = (name: CaseFilter) => rows.filter(({ filters }) => filters.has(name)).length
  return { all: rows.length, ...Object.fromEntries(CASE_FILTERS.map((name) => [name, ofFilter(name)])) }
}

/** The traces of a run with their items: by their link, by the newest evaluation that matched them, or by their input. */
async function readCases(q: Queries, scope: Scope, evaluationIds: readonly string[]) {
  const cases: RunCase[] = []
  for await (const rows of readPages((page) => listRunCases(q, { ...scope, ...page }), BY_REF)) {
    for (const { ref, linkedAt, traceDbId, itemId, status, durationNs, costUsd, totalTokens } of rows) {
      const facts = {
        isError: status === 'error',
        durationMs: milliseconds(durationNs),
        costUsd: dollars(costUsd),
        totalTokens,
      }
      cases.push({ index: cases.length, ref, linkedAt, traceDbId, itemId, trace: traceDbId === null ? null : facts })
    }
  }
  return matchItems(q, scope, { cases, evaluationIds })
}

const BY_REF = { first: '', limit: ROWS_PER_STATEMENT, keyOf: ({ ref }: { ref: string }) => ref }

type Unmatched = { cases: readonly RunCase[]; evaluationIds: readonly string[] }

async function matchItems(q: Queries, scope: Scope, { cases, evaluationIds }: Unmatched) {
  const found = new Map<string, string>()
  const isUnmatched = ({ ref, itemId, trace }: RunCase) => itemId === null && trace !== null && !found.has(ref)
  for (const evaluationId of evaluationIds) {
    if (!cases.some(isUnmatched)) break
    const pages = readPages((page) => listEvaluatedItems(q, { ...scope, evaluationId, ...page }), BY_REF)
    for await (const rows of pages)
      for (const { ref, itemId } of rows) if (itemId !== null && !found.has(ref)) found.set(ref, itemId)
  }
  const unmatched = cases.filter(isUnmatched).map(({ ref }) => ref)
  const itemsAreComplete = unmatched.length <= MATCHED_BY_INPUT_MAX
  if (itemsAreComplete) {
    for (const [ref, itemId] of await findItemsByQuestion(q, scope, unmatched)) found.set(ref, itemId)
  }
  const matched = cases.map((one) => (one.itemId === null ? { ...one, itemId: found.get(one.ref) ?? null } : one))
  return { cases: matched, itemsAreComplete }
}

async function matchingGroups(
  q: Queries,
  workspaceId: string,
  groups: readonly CaseGroup[],
  filter: Parameters<typeof listMatchingRefs>[2],
): Promise<CaseGroup[]> {
  const refs = groups.flatMap(({ cases }) => cases.filter(({ trace }) => trace !== null).map(({ ref }) => ref))
  const matching = new Set<string>()
  for (const chunk of chunksOf(refs, ROWS_PER_STATEMENT)) {
    for (const ref of await listMatchingRefs(q, workspaceId, filter, chunk)) matching.add(ref)
  }
  return groups.filter(({ cases }) => cases.some(({ ref }) => matching.has(ref)))
}

type RowScope = Scope & {
  /** Those whose results the caller may see, each with the evaluation that it is read from. */
  evaluators: ReadonlyMap<string, string>
  isVisible: ReturnType<typeof isVisibleTo>
}

async function readRows(q: Queries, scope: RowScope, groups: readonly CaseGroup[]) {
  const { workspaceId, evaluators } = scope
  const refs = groups.flatMap(({ cases }) => cases.map(({ ref }) => ref))
  const shown = groups.flatMap(({ cases }) => cases.slice(0, CASES_PER_ROW_MAX))
  const scores: CaseScoreRow[] = []
  for (const evaluationId of new Set(evaluators.values())) {
    const ofEvaluation = await listCaseScores(q, { workspaceId, evaluationId }, refs)
    scores.push(...ofEvaluation.filter(({ evaluator }) => evaluators.get(evaluator) === evaluationId))
  }
  const scoresByRef = Map.groupBy(scores, ({ ref }) => ref)
  const shownRefs = shown.map(({ ref }) => ref)
  const ratings = await listTraceRatings(q, scope, shownRefs)
  const traceDbIds = shown.flatMap(({ traceDbId }) => traceDbId ?? [])
  const details = await listTraceDetails(q, workspaceId, traceDbIds)
  const previews = await readPreviews(q, workspaceId, details)
  const statusOf = new Map(details.map(({ id, status }) => [id, status]))
  const itemIds = groups.flatMap(({ itemId }) => itemId ?? [])
  const texts = new Map((await listItemTexts(q, scope, itemIds)).map((item) => [item.id, item]))
  return groups.map(({ itemId, cases }) => {
    const item = texts.get(itemId ?? '')
    const [first] = cases
    const asked = cases
      .map(({ traceDbId }) => previews.get(traceDbId ?? '')?.input ?? null)
      .find((text) => text !== null)
    return {
      id: itemId ?? first?.ref ?? '',
      itemId,
      input: previewOf(item?.input ?? null) ?? asked ?? null,
      expected: previewOf(item?.expected ?? null),
      repetitions: cases.length,
      cases: cases.slice(0, CASES_PER_ROW_MAX).map(({ ref, traceDbId, trace }) => ({
        traceId: ref,
        traceDbId,
        status: statusOf.get(traceDbId ?? '') ?? null,
        // Whole milliseconds, as of traces everywhere; sorting uses the exact duration.
        durationMs: trace?.durationMs == null ? null : Math.round(trace.durationMs),
        costUsd: trace?.costUsd ?? null,
        totalTokens: trace?.totalTokens ?? null,
        output: previews.get(traceDbId ?? '')?.output ?? null,
        ratings: [...(ratings.get(ref) ?? [])].map(([userId, rating]) => ({ userId, rating })),
        scores: scoresOfCase(scoresByRef.get(ref) ?? []),
      })),
      spread: spreadOf(cases.flatMap(({ ref }) => scoresByRef.get(ref) ?? [])),
    }
  })
}
