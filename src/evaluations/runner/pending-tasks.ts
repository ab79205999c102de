import type { Evaluator, Need } from '../../evaluators/evaluator.ts'
import type { CaseKey } from '../../scores/score-queries.ts'
import { type EvaluationScope, listOpenScores, type PendingScore } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import type { CaseAnalysis } from '../results/analyze-cases.ts'
import type { CaseSource } from './case-queries.ts'
import { type LoadedCase, loadCases } from './load-cases.ts'

/** What is read of a page lives until its scores are stored: with more, the collector would copy it on its way. */
const CASES_PER_PAGE = 40

/** A score to be made, and what it is made from. */
export type Task = { evaluator: Evaluator; open: PendingScore; input: LoadedCase }

type OpenPage = {
  evaluators: readonly Evaluator[]
  /** How often each of them is asked about a case, at most. */
  repetitions: number
  source: CaseSource
  baselineRefs: ReadonlyMap<string, string>
  /** Is shown the traces of all these cases. */
  analysis?: CaseAnalysis | undefined
  /** The last case of the page before; empty to begin with. */
  after: string
}

/** How many cases, the last of them, undefined if there is none, and what is to be done for all of them, a portion at a time. */
export type OpenTasks = { cases: number; last: string | undefined; portions: AsyncGenerator<Task[]> }

/** The next cases with scores that these evaluators have yet to make. */
export async function readOpenTasks(
  q: Queries,
  of: EvaluationScope,
  { evaluators, repetitions, source, baselineRefs, analysis, after }: OpenPage,
): Promise<OpenTasks> {
  const byName = new Map(evaluators.map((evaluator) => [evaluator.name, evaluator]))
  const opens = await openScoresOfCases(q, of, { after, evaluators: [...byName.keys()], repetitions })
  const keys = [...opens].map(([ref, [open]]): CaseKey => {
    return { ref, itemId: open?.itemId ?? null, traceRef: open?.traceRef ?? null }
  })
  const needs = new Set<Need>(evaluators.flatMap((evaluator) => evaluator.needs))
  const tasksOf = ([ref, input]: [string, LoadedCase]): Task[] =>
    (opens.get(ref) ?? []).flatMap((open) => {
      const evaluator = byName.get(open.evaluator)
      return evaluator ? [{ evaluator, open, input }] : []
    })
  async function* portions(): AsyncGenerator<Task[]> {
    for await (const cases of loadCases(q, { source, needs, baselineRefs, analysis }, keys)) {
      yield [...cases].flatMap(tasksOf)
    }
  }
  return { cases: keys.length, last: keys.at(-1)?.ref, portions: portions() }
}

/** By case, all of what is to be made for it; empty when there is nothing left. */
async function openScoresOfCases(
  q: Queries,
  of: EvaluationScope,
  { after, evaluators, repetitions }: { after: string; evaluators: string[]; repetitions: number },
): Promise<Map<string, PendingScore[]>> {
  // One more than so many cases can have: what is read of the case behind them is left for the next page.
  const limit = CASES_PER_PAGE * evaluators.length * repetitions + 1
  const scores = await listOpenScores(q, of, { after, evaluators, limit })
  const byCase = Map.groupBy(scores, ({ caseRef }) => caseRef)
  if (scores.length === limit) byCase.delete(scores.at(-1)?.caseRef ?? '')
  return byCase
}
