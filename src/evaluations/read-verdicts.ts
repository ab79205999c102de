import { yieldToEventLoop } from '../base/event-loop.ts'
import type { JobRun } from '../jobs/job-handler.ts'
import type { Observation } from '../statistics/bootstrap-mean.ts'
import type { Classified } from '../statistics/classification.ts'
import type { Evaluator } from './evaluators/evaluator.ts'
import { listVerdicts, type ScoreKey } from './score-queries.ts'

const VERDICTS_PER_PAGE = 1_000

/** Everything that one evaluator said. The repetitions of a case are one cluster: together they tell little more than one of them. */
export type Verdicts = {
  n: number
  cases: number
  scores: Observation[]
  /** 1 passed, 0 not. */
  passes: Observation[]
  labels: Map<string, number>
  classified: Classified[]
}

export async function readVerdicts(
  { db, workspaceId }: Pick<JobRun, 'db' | 'workspaceId'>,
  { evaluationId, evaluator }: { evaluationId: string; evaluator: Pick<Evaluator, 'name' | 'type'> },
): Promise<Verdicts> {
  const verdicts: Verdicts = { n: 0, cases: 0, scores: [], passes: [], labels: new Map(), classified: [] }
  let after: ScoreKey = { caseRef: '', evaluator: evaluator.name, repetition: 0 }
  for (;;) {
    const page = { evaluator: evaluator.name, after, limit: VERDICTS_PER_PAGE }
    const rows = await listVerdicts(db.read, { workspaceId, evaluationId }, page)
    for (const { caseRef: cluster, score, label, passed, details } of rows) {
      verdicts.n += 1
      if (cluster !== after.caseRef) verdicts.cases += 1
      after = { ...after, caseRef: cluster }
      if (score !== null) verdicts.scores.push({ value: score, cluster })
      if (passed !== null) verdicts.passes.push({ value: passed, cluster })
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
