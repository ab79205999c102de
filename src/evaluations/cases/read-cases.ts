import type { EvaluationScope } from '../../scores/score-queries.ts'
import { type ShownScore, shownScore } from '../../scores/shown-score.ts'
import type { Queries } from '../../storage/db.ts'
import { shortened } from '../../traces/query/query-error.ts'
import { findTraceIds } from '../../traces/trace-queries.ts'
import { errorPattern } from '../score-summary/error-pattern.ts'
import { type CasePosition, type CaseSort, writeCaseCursor } from './case-cursor.ts'
import {
  type CaseFilter,
  countCasesByOutcome,
  listCaseErrors,
  listCaseRefs,
  listCaseRefsByScore,
  listScoresOfCases,
} from './case-list-queries.ts'
import { readCasePreviews, readCaseTexts } from './read-case-texts.ts'

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
    nextCursor: last ? writeCaseCursor(sort, last) : null,
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

function shownCase(
  { ref, itemId, traceRef, traceDbId, scores, scoreCount }: NamedCase,
  texts: { input: string | null; output: string | null; expected: string | null } | undefined,
) {
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
