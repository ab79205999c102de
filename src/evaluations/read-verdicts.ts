import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Observation } from '../statistics/bootstrap-mean.ts'
import type { Classified } from '../statistics/classification.ts'
import type { Queries } from '../storage/db.ts'
import type { Evaluator } from './evaluators/evaluator.ts'
import { listVerdicts, type OfEvaluation, type ScoreKey } from './score-queries.ts'

const VERDICTS_PER_PAGE = 1_000

/**
 * Everything that one evaluator said. The repetitions of a case are one cluster: together they tell little more than one of them. Where
 * nothing is repeated no case is named: a hundred thousand names are most of what there would be to keep.
 */
export type Verdicts = {
  n: number
  cases: number
  scores: Observation[]
  /** 1 passed, 0 not. */
  passes: Observation[]
  /** Scores of cases that nobody has rated; kept only if somebody has rated others. */
  unlabelled: number[]
  labels: Map<string, number>
  classified: Classified[]
}

type VerdictsWanted = OfEvaluation & {
  evaluator: Pick<Evaluator, 'name' | 'type'>
  isRepeated: boolean
  /** What people have rated as well. */
  labels: readonly { caseRef: string }[]
}

export async function readVerdicts(
  q: Queries,
  { evaluator, isRepeated, labels, ...of }: VerdictsWanted,
): Promise<Verdicts> {
  const labelled = new Set(labels.map(({ caseRef }) => caseRef))
  const verdicts: Verdicts = {
    n: 0,
    cases: 0,
    scores: [],
    passes: [],
    unlabelled: [],
    labels: new Map(),
    classified: [],
  }
  let after: ScoreKey = { caseRef: '', evaluator: evaluator.name, repetition: 0 }
  for (;;) {
    const page = { evaluator: evaluator.name, after, limit: VERDICTS_PER_PAGE }
    const rows = await listVerdicts(q, of, page)
    for (const { caseRef, score, label, passed, details } of rows) {
      verdicts.n += 1
      if (caseRef !== after.caseRef) verdicts.cases += 1
      after = { ...after, caseRef }
      const cluster = isRepeated ? { cluster: caseRef } : {}
      if (score !== null) verdicts.scores.push({ value: score, ...cluster })
      if (passed !== null) verdicts.passes.push({ value: passed, ...cluster })
      if (score !== null && labelled.size > 0 && !labelled.has(caseRef)) verdicts.unlabelled.push(score)
      if (label !== null) verdicts.labels.set(label, (verdicts.labels.get(label) ?? 0) + 1)
      if (evaluator.type === 'f1') verdicts.classified.push({ predicted: label ?? '', expected: expectedOf(details) })
    }
    const last = rows.at(-1)
    if (!last || rows.length < VERDICTS_PER_PAGE) return verdicts
    after = { ...after, repetition: last.repetition }
    await yieldToEventLoop()
  }
}

function expectedOf(details: string | null): string {
  const { expected }: { expected?: unknown } = details === null ? {} : JSON.parse(details)
  return typeof expected === 'string' ? expected : ''
}
