import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { listComparedScores, type ScoreKey } from './comparison-queries.ts'
import { EvaluatorScores } from './evaluator-scores.ts'
import type { RunCase } from './pair-items.ts'

const ROWS_PER_PAGE = 1_000

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
  const places = new Map(cases.map(({ ref, place }) => [ref, place]))
  let after: ScoreKey = { caseRef: '', evaluator: '', repetition: 0 }
  let [ref, place]: [string, number | undefined] = ['', undefined]
  for (;;) {
    const rows = await listComparedScores(q, { workspaceId, evaluationId, after, limit: ROWS_PER_PAGE })
    for (const row of rows) {
      // Looked up once a trace, not once a score: finding a text among many costs more than reading it.
      if (row.caseRef !== ref) [ref, place] = [row.caseRef, places.get(row.caseRef)]
      if (place === undefined || row.failed === null) continue
      let known = scores.get(row.evaluator)
      if (!known) {
        known = new EvaluatorScores(cases.length)
        scores.set(row.evaluator, known)
      }
      known.add(place, row)
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return scores
    after = { caseRef: last.caseRef, evaluator: last.evaluator, repetition: last.repetition }
    await yieldToEventLoop()
  }
}
