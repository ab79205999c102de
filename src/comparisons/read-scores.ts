import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { listComparedScores, type ScoreKey } from './comparison-queries.ts'
import type { RunCase } from './pair-items.ts'

export type Measurement = {
  readonly repetition: number
  readonly state: 'scored' | 'failed'
  readonly score: number | null
  /** 1 or 0, where the evaluator draws a line. */
  readonly passed: number | null
  readonly label: string | null
}

/** What one trace got from one evaluator. Most have one measurement, which then stands for itself: lists of one add up. */
export type Measured = Measurement | readonly Measurement[] | undefined

/** What an evaluator said of each trace, by the trace's place. */
export type EvaluatorScores = { readonly byPlace: Measured[]; hasFailed: boolean }

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
      // The row itself is kept: a copy of each would be most of what this reading costs.
      if (place !== undefined && isMeasured(row)) add(scores, { place, cases: cases.length, row })
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return scores
    after = { caseRef: last.caseRef, evaluator: last.evaluator, repetition: last.repetition }
    await yieldToEventLoop()
  }
}

type ScoreRow = Awaited<ReturnType<typeof listComparedScores>>[number]

function isMeasured(row: ScoreRow): row is ScoreRow & Measurement {
  return row.state === 'scored' || row.state === 'failed'
}

function add(
  scores: Map<string, EvaluatorScores>,
  { place, cases, row }: { place: number; cases: number; row: ScoreRow & Measurement },
): void {
  let known = scores.get(row.evaluator)
  if (!known) {
    known = { byPlace: new Array<Measured>(cases), hasFailed: false }
    scores.set(row.evaluator, known)
  }
  if (row.state === 'failed') known.hasFailed = true
  const before = known.byPlace[place]
  known.byPlace[place] = before === undefined ? row : [...measurementsOf(before), row]
}

export function measurementsOf(measured: Measured): readonly Measurement[] {
  if (measured === undefined) return NOTHING
  return 'state' in measured ? [measured] : measured
}

const NOTHING: readonly Measurement[] = []
