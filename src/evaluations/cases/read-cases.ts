import { shortened } from '../../base/text.ts'
import { type ShownScore, shownScore } from '../../scores/list-scores.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { readPreviews } from '../../trace-lists/trace-previews.ts'
import { listTraceDetails } from '../../trace-lists/trace-row-queries.ts'
import { previewOf, READ_LENGTH_MAX } from '../../traces/list-fields.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { findTraceIds } from '../../traces/trace-queries.ts'
import { listItemTexts } from '../runner/case-queries.ts'
import { errorPattern } from '../score-summary/summarize-scores.ts'
import { type CasePosition, type CaseSort, caseCursor } from './case-cursor.ts'
import {
  type CaseFilter,
  countCasesByOutcome,
  listCaseErrors,
  listCaseRefs,
  listCaseRefsByScore,
  listItemBeginnings,
  listScoresOfCases,
} from './case-list-queries.ts'

/** With repetitions, a case may have thousands of scores. */
const SCORES_LISTED_MAX = 100
const SCORES_READ_MAX = 5_000
const REASON_LENGTH_MAX = 300
const ERRORS_AT_ONCE = 1_000

type Source = EvaluationScope & { datasetId: string; runId: string | null }

export type CaseListRequest = CaseFilter & {
  /** Cases with this reason, or one with the same pattern. */
  error?: string | undefined
  sort?: CaseSort | undefined
  after: CasePosition | undefined
  limit: number
}

/** A page of cases with the beginnings of their texts and their scores. The first page counts all cases by outcome. */
export async function readCases(q: Queries, source: Source, request: CaseListRequest) {
  const { after, limit, sort, evaluator, withheld } = request
  const found = await listRefs(q, source, { ...request, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const refs = page.map(({ ref }) => ref)
  const cases = await namedCases(q, source, { refs, withheld, scoresMax: SCORES_LISTED_MAX })
  const texts = await readCasePreviews(q, source, cases)
  return {
    data: cases.map((one) => shownCase({ ...one, scores: one.scores.map(briefly) }, texts.get(one.ref))),
    nextCursor: last ? caseCursor.write(last, sort) : null,
    counts: after ? null : await countCasesByOutcome(q, source, { evaluator, withheld }),
  }
}

/** One case with its whole texts and all of its scores, or no case. */
export async function readCase(q: Queries, source: Source, { ref, withheld }: { ref: string } & Withheld) {
  const cases = await namedCases(q, source, { refs: [ref], withheld, scoresMax: SCORES_READ_MAX })
  const texts = await readCaseTexts(q, source, cases)
  return { data: cases.map((one) => shownCase(one, texts.get(one.ref))), nextCursor: null, counts: null }
}

type Withheld = { withheld: readonly string[] }

async function listRefs(q: Queries, source: Source, request: CaseListRequest): Promise<CasePosition[]> {
  const { error, sort, evaluator } = request
  if (error !== undefined) return listRefsWithError(q, source, { ...request, pattern: errorPattern(error) })
  if (sort && evaluator !== undefined)
    return listCaseRefsByScore(q, source, { ...request, evaluator }, { ...request, sort })
  return listCaseRefs(q, source, request, request)
}

/** Patterns are not known to the engines, so the reasons are read in portions until the page is full. */
async function listRefsWithError(
  q: Queries,
  source: Source,
  { pattern, after, limit, ...filter }: CaseListRequest & { pattern: string },
): Promise<CasePosition[]> {
  const states = filter.states ?? (['failed', 'retrying', 'skipped'] as const)
  const found = new Set<string>()
  let position = after
  while (found.size < limit) {
    const rows = await listCaseErrors(q, source, { ...filter, states }, { after: position, limit: ERRORS_AT_ONCE })
    const last = rows.at(-1)?.ref
    if (last === undefined) break
    const isWhole = rows.length < ERRORS_AT_ONCE
    // Other reasons of the last case may be in the next portion, unless it fills one alone.
    const complete = isWhole || rows[0]?.ref === last ? rows : rows.filter(({ ref }) => ref !== last)
    for (const { ref, reason } of complete) if (errorPattern(reason ?? 'no reason given') === pattern) found.add(ref)
    if (isWhole) break
    position = { ref: complete.at(-1)?.ref ?? last, value: null }
  }
  return [...found].slice(0, limit).map((ref) => ({ ref, value: null }))
}

/** The cases in the order of their references, each with its scores. One without scores is missing. */
async function namedCases(
  q: Queries,
  source: Source,
  { refs, withheld, scoresMax }: Withheld & { refs: readonly string[]; scoresMax: number },
) {
  const rows = await listScoresOfCases(q, source, { refs, limit: scoresMax })
  const byCase = Map.groupBy(rows, ({ ref }) => ref)
  const traceRefs = [...new Set(rows.flatMap(({ traceRef }) => traceRef ?? []))]
  const traceIds = await findTraceIds(q, source.workspaceId, traceRefs)
  return refs.flatMap((ref) => {
    const scores = byCase.get(ref)
    if (!scores?.[0]) return []
    const itemId = scores.find((score) => score.itemId !== null)?.itemId ?? null
    const { traceRef, total } = scores[0]
    const traceDbId = traceIds.get(traceRef ?? '') ?? null
    const shown = scores.map((score) => shownScore(score, withheld))
    return [{ ref, itemId, traceRef, traceDbId, scores: shown, scoreCount: Number(total) }]
  })
}

type NamedCase = Awaited<ReturnType<typeof namedCases>>[number]

function shownCase({ ref, itemId, traceRef, traceDbId, scores, scoreCount }: NamedCase, texts: CaseTexts | undefined) {
  return {
    id: ref,
    itemId,
    // The id if the trace has arrived, otherwise the reference of the client.
    traceDbId: traceDbId ?? traceRef,
    hasTrace: traceDbId !== null,
    input: texts?.input ?? null,
    output: texts?.output ?? null,
    expected: texts?.expected ?? null,
    scores,
    scoreCount,
  }
}

function briefly(score: ShownScore): ShownScore {
  const { reason, error } = score
  const brief = (text: string | null) => (text === null ? null : shortened(text, REASON_LENGTH_MAX))
  return { ...score, reason: brief(reason), error: brief(error), details: null }
}

/** The texts of a case, as evaluators get them: of a run those of the trace, of a dataset those of the item. */
type CaseTexts = { input: string | null; output: string | null; expected: string | null }

type TraceTexts = { input: string | null; output: string | null }

/** The beginnings of the texts, by case. */
async function readCasePreviews(
  q: Queries,
  source: Source,
  cases: readonly NamedCase[],
): Promise<Map<string, CaseTexts>> {
  const items = await listItemBeginnings(q, source, { itemIds: itemIdsOf(cases), lengthMax: READ_LENGTH_MAX })
  const details = await listTraceDetails(q, source.workspaceId, traceIdsOf(cases))
  const traces = await readPreviews(q, source.workspaceId, details)
  const previews = [...joined(source, cases, { items, traces })].map(([ref, { input, output, expected }]) => {
    return [ref, { input: previewOf(input), output: previewOf(output), expected: previewOf(expected) }] as const
  })
  return new Map(previews)
}

/** The whole texts, for a few cases. */
async function readCaseTexts(q: Queries, source: Source, cases: readonly NamedCase[]): Promise<Map<string, CaseTexts>> {
  const items = await listItemTexts(q, source, itemIdsOf(cases))
  const traces = await findTraceContents(q, source.workspaceId, traceIdsOf(cases))
  return joined(source, cases, { items, traces })
}

function itemIdsOf(cases: readonly NamedCase[]): string[] {
  return [...new Set(cases.flatMap(({ itemId }) => itemId ?? []))]
}

function traceIdsOf(cases: readonly NamedCase[]): string[] {
  return [...new Set(cases.flatMap(({ traceDbId }) => traceDbId ?? []))]
}

function joined(
  { runId }: Source,
  cases: readonly NamedCase[],
  found: { items: ReadonlyMap<string, CaseTexts>; traces: ReadonlyMap<string, TraceTexts> },
): Map<string, CaseTexts> {
  const texts = cases.map(({ ref, itemId, traceDbId }) => {
    const item = found.items.get(itemId ?? '')
    const trace = found.traces.get(traceDbId ?? '')
    const [first, second] = runId === null ? [item, trace] : [trace, undefined]
    const input = first?.input ?? second?.input ?? item?.input ?? null
    const output = first?.output ?? second?.output ?? null
    return [ref, { input, output, expected: item?.expected ?? null }] as const
  })
  return new Map(texts)
}
