import { type JudgeRange, listJudges, listUncertain } from '../../scores/judge-queries.ts'
import { listRunEvaluations } from '../../scores/run-evaluation-queries.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { StoredConfig } from '../../scores/stored-config.ts'
import type { Db, Queries } from '../../storage/db.ts'
import type { RunScope } from '../rating-rule-queries.ts'
import { cachedReads } from './cached-reads.ts'

/** The judges of a run, and the traces that they are least certain about, most uncertain first. */
export type Judge = { evaluationId: string; evaluators: readonly string[]; uncertain: readonly string[] }

const UNCERTAIN_MAX = 500

/** A binary score without repetitions has a doubt of 0.5 and is not uncertain. */
const DOUBT_MIN = 0.5

const cached = cachedReads<Judge | undefined>(50)

/**
 * Returns the judges of the newest completed evaluation that has any; undefined if there are none. Reading all scores for each queue
 * request would be too slow, and the scores of a completed evaluation only change when it is run again. The result is
 * therefore read once, on the bulk connection, and cached for the evaluations that were used last.
 */
export async function findJudge(db: Db, { workspaceId, runId }: RunScope): Promise<Judge | undefined> {
  const bulk = db.bulk({ application: workspaceId, from: 'request' })
  const evaluations = await listRunEvaluations(db.read, { workspaceId, runIds: [runId] })
  for (const { id: evaluationId, config, completedAt } of evaluations) {
    const judge = await cached(db.read, `${evaluationId} ${completedAt}`, () =>
      readJudge(bulk, { workspaceId, evaluationId }, config),
    )
    if (judge) return judge
  }
  return undefined
}

async function readJudge(q: Queries, scope: EvaluationScope, config: StoredConfig): Promise<Judge | undefined> {
  const judges = await listJudges(q, scope, config)
  if (judges.length === 0) return undefined
  const doubts = new Map<string, number>()
  for (const judge of judges) {
    const limits = { least: DOUBT_MIN, limit: UNCERTAIN_MAX }
    const found = await listUncertain(q, scope, { evaluator: judge.evaluator, ...passThreshold(judge), ...limits })
    for (const { ref, doubt } of found) doubts.set(ref, Math.max(doubt, doubts.get(ref) ?? 0))
  }
  const uncertain = [...doubts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
  return {
    evaluationId: scope.evaluationId,
    evaluators: judges.map(({ evaluator }) => evaluator),
    uncertain: uncertain.slice(0, UNCERTAIN_MAX).map(([ref]) => ref),
  }
}

/**
 * Derives the pass mark of an evaluator from its verdicts: the midpoint between the best failed and the worst passed
 * score. If all cases passed or all failed, it is the end of the observed range. If the ranges overlap there is no pass
 * mark, which a range of 0 indicates.
 */
function passThreshold({ passedFrom, passedTo, failedFrom, failedTo }: JudgeRange): { line: number; range: number } {
  const scores = [passedFrom, passedTo, failedFrom, failedTo].filter((score) => score !== null)
  const range = scores.length === 0 ? 0 : Math.max(...scores) - Math.min(...scores)
  if (passedFrom === null || passedTo === null) return { line: failedTo ?? 0, range }
  if (failedFrom === null || failedTo === null) return { line: passedFrom, range }
  if (failedTo < passedFrom) return { line: (failedTo + passedFrom) / 2, range }
  if (passedTo < failedFrom) return { line: (passedTo + failedFrom) / 2, range }
  return { line: 0, range: 0 }
}
