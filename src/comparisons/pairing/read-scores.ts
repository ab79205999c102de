import { yieldToEventLoop } from '../../base/event-loop.ts'
import { EvaluatorScores } from '../../scores/evaluator-scores.ts'
import type { ScoreKey } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { listComparedScores } from './comparison-queries.ts'
import type { RunCase } from './pair-items.ts'

const ROWS_PER_PAGE = 2_500

/** Reads the scores by evaluator. Skipped scores are omitted. */
export async function readScores(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    cases,
  }: { workspaceId: string; evaluationId: string | undefined; cases: readonly RunCase[] },
): Promise<Map<string, EvaluatorScores>> {
  const scores = new Map<string, EvaluatorScores>()
  if (evaluationId === undefined) return scores
  const findIndex = sequentialLookup(cases.map(({ ref }) => ref))
  const evaluators: EvaluatorScores[] = []
  let findEvaluator = sequentialLookup([])
  let after: ScoreKey = { caseRef: '', evaluator: '', repetition: 0 }
  let ref = ''
  let index = NOT_FOUND
  for (;;) {
    const rows = await listComparedScores(q, { workspaceId, evaluationId, after, limit: ROWS_PER_PAGE })
    for (const row of rows) {
      // One lookup per trace instead of one per score.
      if (row.caseRef !== ref) {
        ref = row.caseRef
        index = findIndex(ref)
      }
      if (index === NOT_FOUND || row.failed === null) continue
      let known = evaluators[findEvaluator(row.evaluator)]
      if (!known) {
        known = new EvaluatorScores(cases.length)
        evaluators.push(known)
        scores.set(row.evaluator, known)
        findEvaluator = sequentialLookup([...scores.keys()])
      }
      known.add(index, row)
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return scores
    after = { caseRef: last.caseRef, evaluator: last.evaluator, repetition: last.repetition }
    await yieldToEventLoop()
  }
}

const NOT_FOUND = -1

/**
 * Returns a function that finds the index of a name in the list. Names are usually requested in list order, so the next
 * name is compared first: a map lookup for each row would cost more than reading the row. Wraps around after the last
 * name.
 */
function sequentialLookup(names: readonly string[]): (name: string) => number {
  let next = 0
  let indexes: ReadonlyMap<string, number> | undefined
  return (name) => {
    if (names[next] !== name) indexes ??= new Map(names.map((known, index) => [known, index]))
    const index = names[next] === name ? next : (indexes?.get(name) ?? NOT_FOUND)
    next = index + 1 === names.length ? 0 : index + 1
    return index
  }
}
