import { listDrawChances } from '../annotations/queue/draw-queries.ts'
import { readRatingScheme } from '../annotations/rating-rule-queries.ts'
import { listTraceRatings } from '../annotations/trace-rating-queries.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import {
  isGoodRating,
  type RatingScheme,
  ratingsArePositive,
  scoreOfRating,
  scoreOfRatings,
  shareOfScheme,
} from '../evaluators/rating-scheme.ts'
import type { EvaluationScope } from '../scores/score-queries.ts'
import { countClusters } from '../statistics/groups/effective-size.ts'
import { meanOf } from '../statistics/sums.ts'
import type { Queries } from '../storage/db.ts'
import {
  findEvaluatedRun,
  type Judgement,
  listJudgements,
  listResolvedRatings,
  type VisibilityFilter,
} from './agreement-queries.ts'

const SCORES_PER_PAGE = 1_000
/** Fewer labels are not sufficient to estimate the error rates of a judge. */
const LABELS_MIN = 20

type LabeledCase = {
  caseRef: string
  /** The item, or the case if it has none. Labels of the same item are not independent. */
  cluster: string
  /** The raters disagreed, and the label is the resolution. */
  isResolved: boolean
  /**
   * How much more likely the queue was to draw the case than an average case of the run. Undefined if it did not draw it:
   * then the case may have been chosen because of what people think of it, and stands only for itself.
   */
  chance: number | undefined
}

/** The verdict of an evaluator on a case, and that of people. */
export type Label = LabeledCase & { judge: boolean; people: boolean }

/** The score of an evaluator for a case, and the rating of people from 0 (worst) to 1 (best). */
export type ScoreLabel = LabeledCase & { judge: number; people: number }

type LabelScope = EvaluationScope & { evaluator: string } & Partial<VisibilityFilter>

/**
 * Returns the verdict of an evaluator and that of the ratings for each rated case of an evaluation. There is one label
 * per case because repetitions of a case are not independent: the case passed if more than half of the repetitions
 * passed. Cases with a tie, or with ratings that are not in the scheme, are excluded.
 *
 * In an evaluation of a run, the resolution of a disagreement is the label: excluding the contested cases would make a
 * judge look better than it is. It counts only while the raters disagree, and only for readers who see their ratings.
 */
export async function listJudgeLabels(q: Queries, scope: LabelScope): Promise<Label[]> {
  const labels: Label[] = []
  for await (const { judged, given, resolution, scheme, ...label } of ratedCases(q, scope, 'passed')) {
    const people = resolution === undefined ? ratingsArePositive(scheme, given) : isGoodRating(scheme, resolution)
    if (people !== undefined) labels.push({ ...label, judge: judged.isPassed, people })
  }
  return labels
}

/** As `listJudgeLabels`, with the mean score of the repetitions and the position of the ratings in their scheme. */
export async function listScoreLabels(q: Queries, scope: LabelScope): Promise<ScoreLabel[]> {
  const labels: ScoreLabel[] = []
  for await (const { judged, given, resolution, scheme, ...label } of ratedCases(q, scope, 'score')) {
    const rating = resolution === undefined ? scoreOfRatings(scheme, given) : scoreOfRating(scheme, resolution)
    const people = rating === undefined ? undefined : shareOfScheme(scheme, rating)
    if (people !== undefined && judged.score !== null) labels.push({ ...label, judge: judged.score, people })
  }
  return labels
}

type RatedCase = LabeledCase & {
  judged: JudgedCase
  given: readonly string[]
  resolution: string | undefined
  scheme: RatingScheme
}

async function* ratedCases(
  q: Queries,
  { workspaceId, evaluationId, evaluator, isVisible }: LabelScope,
  basis: 'passed' | 'score',
): AsyncGenerator<RatedCase> {
  const evaluation = await findEvaluatedRun(q, { workspaceId, evaluationId })
  if (!evaluation) return
  const { runId } = evaluation
  const scheme = await readRatingScheme(q, workspaceId)
  for await (const cases of pagesOfCases(q, { workspaceId, evaluationId, evaluator, basis })) {
    const refs = cases.map(({ ref }) => ref)
    const ratings = await listTraceRatings(q, { workspaceId, runId, isVisible }, refs)
    const rated = cases.filter(({ ref }) => ratings.has(ref))
    if (rated.length === 0) continue
    const ratedRefs = rated.map(({ ref }) => ref)
    const resolved = runId === null ? NONE : await listResolvedRatings(q, { workspaceId, runId }, ratedRefs)
    const chances = await listDrawChances(q, { workspaceId, runId }, ratedRefs)
    for (const judged of rated) {
      const { ref, caseRef, cluster } = judged
      const given = [...(ratings.get(ref)?.values() ?? [])]
      const resolution = new Set(given).size > 1 ? resolved.get(ref) : undefined
      const label = { caseRef, cluster, isResolved: resolution !== undefined, chance: chances.get(ref) }
      yield { ...label, judged, given, resolution, scheme }
    }
  }
}

/** The reason for too few labels; undefined if there are enough. Several traces of one item count once. */
export function insufficientLabelsReason(labels: readonly Pick<Label, 'cluster'>[]): string | undefined {
  const items = countClusters(labels.map(({ cluster }) => cluster))
  if (items >= LABELS_MIN) return undefined
  const found = labels.length === items ? `${items}` : `${labels.length} on ${items} items,`
  return `too few labels: ${found} of at least ${LABELS_MIN}`
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

type JudgedCase = { caseRef: string; ref: string; cluster: string; isPassed: boolean; score: number | null }

async function* pagesOfCases(
  q: Queries,
  scope: EvaluationScope & { evaluator: string; basis: 'passed' | 'score' },
): AsyncGenerator<JudgedCase[]> {
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
    isPassed: passes > judgements.length / 2,
    score: meanOf(scores),
  }
}
