import { readRatingScheme } from '../annotations/rating-scheme-queries.ts'
import { listTraceRatings } from '../annotations/trace-ratings.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { majorityIsPositive } from '../evaluators/rating-scheme.ts'
import type { EvaluationScope } from '../scores/score-queries.ts'
import { countClusters } from '../statistics/effective-size.ts'
import type { Queries } from '../storage/db.ts'
import type { VisibilityFilter } from './agreement-queries.ts'

const SCORES_PER_PAGE = 1_000
/** Fewer cannot tell how often a judge errs. */
const LABELS_MIN = 20

export type Label = {
  caseRef: string
  /** Its item, or the case itself if it has none: what people and judges say of one item is much the same each time. */
  cluster: string
  judge: boolean
  people: boolean
  score: number | null
}

/**
 * What an evaluator said of each case of its evaluation that people have rated, and what most of them said. One label per case, however
 * often it was judged: repetitions of one case are not so many independent cases. It passed if more than half of them did, and its
 * score is their mean. Cases on which people are divided evenly, or whose ratings the scheme does not know, are left out.
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
  const evaluation = await q
    .selectFrom('evaluations')
    .select('run_id as runId')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .executeTakeFirst()
  if (!evaluation) return []
  const scheme = await readRatingScheme(q, workspaceId)
  const labels: Label[] = []
  for await (const cases of pagesOfCases(q, { workspaceId, evaluationId, evaluator })) {
    const ratings = await listTraceRatings(
      q,
      { workspaceId, runId: evaluation.runId, isVisible },
      cases.map(({ ref }) => ref),
    )
    for (const { ref, ...judged } of cases) {
      const people = majorityIsPositive(scheme, [...(ratings.get(ref)?.values() ?? [])])
      if (people !== undefined) labels.push({ ...judged, people })
    }
  }
  return labels
}

/** Why these labels tell nothing yet; undefined if they do. Several traces of one item are not so many independent ones. */
export function insufficientLabelsReason(labels: readonly Label[]): string | undefined {
  const items = countClusters(labels.map(({ cluster }) => cluster))
  if (items >= LABELS_MIN) return undefined
  const found = labels.length === items ? `${items}` : `${labels.length} of ${items} items,`
  return `too few labels: ${found} of at least ${LABELS_MIN}`
}

type JudgedCase = Omit<Label, 'people'> & { ref: string }

async function* pagesOfCases(q: Queries, scope: EvaluationScope & { evaluator: string }): AsyncGenerator<JudgedCase[]> {
  let after = ''
  for (;;) {
    const rows = await listJudgements(q, { ...scope, after })
    const last = rows.at(-1)
    if (!last) return
    const isComplete = rows.length < SCORES_PER_PAGE || rows.every(({ caseRef }) => caseRef === last.caseRef)
    // The rest of the last case may be on the next page: it is read again there, as a whole.
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

type Judgement = { caseRef: string; ref: string; itemId: string | null; passed: number; score: number | null }

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

async function listJudgements(
  q: Queries,
  { workspaceId, evaluationId, evaluator, after }: EvaluationScope & { evaluator: string; after: string },
): Promise<Judgement[]> {
  return q
    .selectFrom('evaluation_scores')
    .select(({ fn }) => ['case_ref as caseRef', fn.coalesce('trace_ref', 'case_ref').as('ref'), 'item_id as itemId'])
    .select(['passed', 'score'])
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('evaluator', '=', evaluator)
    .where('state', '=', 'scored')
    .where('passed', 'is not', null)
    .where('case_ref', '>', after)
    .orderBy('case_ref')
    .orderBy('repetition')
    .limit(SCORES_PER_PAGE)
    .$narrowType<{ passed: number }>()
    .execute()
}
