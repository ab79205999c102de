import type { Evaluator, Need } from '../../evaluators/evaluator.ts'
import type { CaseKey } from '../../scores/score-queries.ts'
import { type EvaluationScope, listPendingScores, type PendingScore } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import type { CaseAnalysis } from '../results/analyze-cases.ts'
import type { CaseSource } from './case-queries.ts'
import { type LoadedCase, loadCases } from './load-cases.ts'

/**
 * A page stays in memory until its scores are stored. With larger pages the garbage collector promotes and copies
 * them.
 */
const CASES_PER_PAGE = 40

/** A score to compute, and its input. */
export type Task = { evaluator: Evaluator; pending: PendingScore; input: LoadedCase }

type PendingPage = {
  evaluators: readonly Evaluator[]
  /** The maximum number of scores per case and evaluator. */
  repetitions: number
  source: CaseSource
  baselineRefs: ReadonlyMap<string, string>
  /** Receives the traces of all these cases. */
  analysis?: CaseAnalysis | undefined
  /** The last case of the previous page; empty for the first page. */
  after: string
}

/** The number of cases, the last case (undefined if there is none), and their tasks in portions. */
export type PendingTasks = { cases: number; last: string | undefined; portions: AsyncGenerator<Task[]> }

/** Returns the next cases with pending scores of these evaluators. */
export async function readPendingTasks(
  q: Queries,
  of: EvaluationScope,
  { evaluators, repetitions, source, baselineRefs, analysis, after }: PendingPage,
): Promise<PendingTasks> {
  const byName = new Map(evaluators.map((evaluator) => [evaluator.name, evaluator]))
  const pendingByCase = await pendingScoresOfCases(q, of, { after, evaluators: [...byName.keys()], repetitions })
  const keys = [...pendingByCase].map(([ref, [first]]): CaseKey => {
    return { ref, itemId: first?.itemId ?? null, traceRef: first?.traceRef ?? null }
  })
  const needs = new Set<Need>(evaluators.flatMap((evaluator) => evaluator.needs))
  const tasksOf = ([ref, input]: [string, LoadedCase]): Task[] =>
    (pendingByCase.get(ref) ?? []).flatMap((pending) => {
      const evaluator = byName.get(pending.evaluator)
      return evaluator ? [{ evaluator, pending, input }] : []
    })
  async function* portions(): AsyncGenerator<Task[]> {
    for await (const cases of loadCases(q, { source, needs, baselineRefs, analysis }, keys)) {
      yield [...cases].flatMap(tasksOf)
    }
  }
  return { cases: keys.length, last: keys.at(-1)?.ref, portions: portions() }
}

/** All pending scores by case; empty when none are left. */
async function pendingScoresOfCases(
  q: Queries,
  of: EvaluationScope,
  { after, evaluators, repetitions }: { after: string; evaluators: string[]; repetitions: number },
): Promise<Map<string, PendingScore[]>> {
  // One more than the cases of a page can have: the scores of a case that may be incomplete are left to the next page.
  const limit = CASES_PER_PAGE * evaluators.length * repetitions + 1
  const scores = await listPendingScores(q, of, { after, evaluators, limit })
  const byCase = Map.groupBy(scores, ({ caseRef }) => caseRef)
  if (scores.length === limit) byCase.delete(scores.at(-1)?.caseRef ?? '')
  return byCase
}
