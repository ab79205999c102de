import { readRatingScheme } from '../annotations/rating-scheme-queries.ts'
import { listTraceRatings } from '../annotations/trace-rating-queries.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { isGoodRating, majorityIsPositive } from '../evaluators/rating-scheme.ts'
import type { EvaluationScope } from '../scores/score-queries.ts'
import { countClusters } from '../statistics/effective-size.ts'
import type { Queries } from '../storage/db.ts'
import { findEvaluatedRun, type Judgement, listJudgements, type VisibilityFilter } from './agreement-queries.ts'
import { listResolvedRatings } from './resolution-queries.ts'

const SCORES_PER_PAGE = 1_000
/** Fewer labels are not sufficient to estimate the error rates of a judge. */
const LABELS_MIN = 20

export type Label = {
  caseRef: string
  /** The item, or the case if it has none. Labels of the same item are not independent. */
  cluster: string
  judge: boolean
  people: boolean
  /** The raters disagreed, and the label is the resolution. */
  isResolved: boolean
  score: number | null
}

/**
 * Returns the result of an evaluator and the majority rating for each rated case of an evaluation. There is one label
 * per case because repetitions of a case are not independent: the case passed if more than half of the repetitions
 * passed, and its score is their mean. Cases with a tie, or with ratings that are not in the scheme, are excluded.
 *
 * In an evaluation of a run, the resolution of a disagreement is the label: excluding the contested cases would make a
 * judge look better than it is. It counts only while the raters disagree, and only for readers who see their ratings.
 */
export async function listJudgeLabels(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    evaluator,
    isVisible,
  }: EvaluationScope & { evaluator: string } & Partial<VisibilityFilter>,
): Promise<Label[]> {
  const evaluation = await findEvaluatedRun(q, { workspaceId, evaluationId })
  if (!evaluation) return []
  const scheme = await readRatingScheme(q, workspaceId)
  const labels: Label[] = []
  for await (const cases of pagesOfCases(q, { workspaceId, evaluationId, evaluator })) {
    const refs = cases.map(({ ref }) => ref)
    const { runId } = evaluation
    const ratings = await listTraceRatings(q, { workspaceId, runId, isVisible }, refs)
    const resolved = runId === null ? NONE : await listResolvedRatings(q, { workspaceId, runId }, refs)
    for (const { ref, ...judged } of cases) {
      const given = [...(ratings.get(ref)?.values() ?? [])]
      const resolution = new Set(given).size > 1 ? resolved.get(ref) : undefined
      const isResolved = resolution !== undefined
      const people = isResolved ? isGoodRating(scheme, resolution) : majorityIsPositive(scheme, given)
      if (people !== undefined) labels.push({ ...judged, people, isResolved })
    }
  }
  return labels
}

/** The reason for too few labels; undefined if there are enough. Several traces of one item count once. */
export function insufficientLabelsReason(labels: readonly Label[]): string | undefined {
  const items = countClusters(labels.map(({ cluster }) => cluster))
  if (items >= LABELS_MIN) return undefined
  const found = labels.length === items ? `${items}` : `${labels.length} on ${items} items,`
  return `too few labels: ${found} of at least ${LABELS_MIN}`
}

const NONE: ReadonlyMap<string, string> = new Map()

type JudgedCase = Omit<Label, 'people' | 'isResolved'> & { ref: string }

async function* pagesOfCases(q: Queries, scope: EvaluationScope & { evaluator: string }): AsyncGenerator<JudgedCase[]> {
  let after = ''
  for (;;) {
    const rows = await listJudgements(q, { ...scope, after, limit: SCORES_PER_PAGE })
    const last = rows.at(-1)
    if (!last) return
    const isComplete = rows.length < SCORES_PER_PAGE || rows.every(({ caseRef }) => caseRef === last.caseRef)
    // The remaining rows of the last case may be on the next page, so the whole case is read again there.
    const cases = Map.groupBy(
      isComplete ? rows : rows.filter(({ caseRef }) => caseRef !== last.caseRef),
      (row) => row.caseRef,
    )
    yield [...cases.values()].map(mergeRepetitions)
    if (rows.length < SCORES_PER_PAGE) return
    after = [...cases.keys()].at(-1) ?? last.caseRef
    await yieldToEventLoop()
  }
}

function mergeRepetitions(judgements: readonly Judgement[]): JudgedCase {
  const { caseRef = '', ref = '', itemId = null } = judgements[0] ?? {}
  const scores = judgements.map(({ score }) => score).filter((score) => score !== null)
  const passes = judgements.filter(({ passed }) => passed === 1).length
  return {
    caseRef,
    ref,
    cluster: itemId ?? caseRef,
    judge: passes > judgements.length / 2,
    score: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
  }
}
