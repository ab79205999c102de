import type { Queries } from '../storage/db.ts'
import type { CaseSource } from './case-queries.ts'
import type { Evaluator, Need } from './evaluators/evaluator.ts'
import { type LoadedCase, loadCases } from './load-cases.ts'
import { listOpenScores, type OfEvaluation, type OpenScore } from './score-queries.ts'

/** What is read of a page lives until its scores are stored: with more, the collector would copy it on its way. */
const CASES_PER_PAGE = 40

/** A score to be made, and what it is made from. */
export type Task = { evaluator: Evaluator; open: OpenScore; input: LoadedCase }

type OpenPage = {
  evaluators: readonly Evaluator[]
  source: CaseSource
  baselineRefs: ReadonlyMap<string, string>
  /** The last case of the page before; empty to begin with. */
  after: string
}

/** The last case, undefined if there is none, and what is to be done for all of them, a portion at a time. */
export type OpenTasks = { last: string | undefined; portions: AsyncGenerator<Task[]> }

/** The next cases with scores that these evaluators have yet to make. */
export async function readOpenTasks(
  q: Queries,
  of: OfEvaluation,
  { evaluators, source, baselineRefs, after }: OpenPage,
): Promise<OpenTasks> {
  const byName = new Map(evaluators.map((evaluator) => [evaluator.name, evaluator]))
  const page = await listOpenScores(q, of, { after, cases: CASES_PER_PAGE, evaluators: [...byName.keys()] })
  const opens = Map.groupBy(page, ({ caseRef }) => caseRef)
  const keys = new Map(page.map(({ caseRef: ref, itemId, traceRef }) => [ref, { ref, itemId, traceRef }]))
  const needs = new Set<Need>(evaluators.flatMap((evaluator) => evaluator.needs))
  const tasksOf = ([ref, input]: [string, LoadedCase]): Task[] =>
    (opens.get(ref) ?? []).flatMap((open) => {
      const evaluator = byName.get(open.evaluator)
      return evaluator ? [{ evaluator, open, input }] : []
    })
  async function* portions(): AsyncGenerator<Task[]> {
    for await (const cases of loadCases(q, { source, needs, baselineRefs }, [...keys.values()])) {
      yield [...cases].flatMap(tasksOf)
    }
  }
  return { last: page.at(-1)?.caseRef, portions: portions() }
}
