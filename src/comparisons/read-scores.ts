import { yieldToEventLoop } from '../base/event-loop.ts'
import { EvaluatorScores } from '../scores/evaluator-scores.ts'
import type { Queries } from '../storage/db.ts'
import { listComparedScores, type ScoreKey } from './comparison-queries.ts'
import type { RunCase } from './pair-items.ts'

const ROWS_PER_PAGE = 2_500

/** By evaluator. What was skipped has no value; it is missing without being listed. */
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
  const findPlace = inTurn(cases.map(({ ref }) => ref))
  const evaluators: EvaluatorScores[] = []
  let findEvaluator = inTurn([])
  let after: ScoreKey = { caseRef: '', evaluator: '', repetition: 0 }
  let ref = ''
  let place = UNKNOWN
  for (;;) {
    const rows = await listComparedScores(q, { workspaceId, evaluationId, after, limit: ROWS_PER_PAGE })
    for (const row of rows) {
      // Looked up once a trace, not once a score.
      if (row.caseRef !== ref) {
        ref = row.caseRef
        place = findPlace(ref)
      }
      if (place === UNKNOWN || row.failed === null) continue
      let known = evaluators[findEvaluator(row.evaluator)]
      if (!known) {
        known = new EvaluatorScores(cases.length)
        evaluators.push(known)
        scores.set(row.evaluator, known)
        findEvaluator = inTurn([...scores.keys()])
      }
      known.add(place, row)
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return scores
    after = { caseRef: last.caseRef, evaluator: last.evaluator, repetition: last.repetition }
    await yieldToEventLoop()
  }
}

const UNKNOWN = -1

/**
 * Finds the places of names that are asked for in the order of the list, as they nearly always are, without looking them up: to find a
 * text among many costs more than reading it. After the last one the first comes again.
 */
function inTurn(names: readonly string[]): (name: string) => number {
  let next = 0
  let places: ReadonlyMap<string, number> | undefined
  return (name) => {
    if (names[next] !== name) places ??= new Map(names.map((known, place) => [known, place]))
    const place = names[next] === name ? next : (places?.get(name) ?? UNKNOWN)
    next = place + 1 === names.length ? 0 : place + 1
    return place
  }
}
