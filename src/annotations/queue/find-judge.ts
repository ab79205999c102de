import { findNewestEvaluation, type JudgeRange, listJudges, listUncertain } from '../../scores/judge-queries.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { Db, Queries } from '../../storage/db.ts'
import type { RunScope } from '../annotation-policy-queries.ts'

/** The judges of a run, and the traces that they are least sure of, the least sure first. */
export type Judge = { evaluationId: string; evaluators: readonly string[]; uncertain: readonly string[] }

const UNCERTAIN_MAX = 500
const CACHE_SIZE_MAX = 50

/** Nothing is doubtful about a yes or no without repetitions: it is half of the scale away from the line, like all others. */
const DOUBT_MIN = 0.5

const caches = new WeakMap<Queries, Map<string, Promise<Judge | undefined>>>()

/**
 * Which traces people should look at, by the newest completed evaluation of a run; undefined if nothing in it judges. To read all scores
 * for each trace that is handed out costs too much, and those of a completed evaluation stay as they are until it is run again: they are
 * read once, and kept for the evaluations that were requested last.
 */
export async function findJudge(db: Db, { workspaceId, runId }: RunScope): Promise<Judge | undefined> {
  const evaluation = await findNewestEvaluation(db.read, { workspaceId, runId })
  if (!evaluation) return undefined
  const cache = caches.get(db.read) ?? new Map<string, Promise<Judge | undefined>>()
  caches.set(db.read, cache)
  const { id: evaluationId, config } = evaluation
  const cacheKey = `${evaluationId} ${evaluation.completedAt}`
  const bulk = db.bulk({ application: workspaceId, from: 'request' })
  const judge = cache.get(cacheKey) ?? readJudge(bulk, { workspaceId, evaluationId }, config)
  // Last in the order of insertion, because it was asked for last.
  cache.delete(cacheKey)
  cache.set(cacheKey, judge)
  const [oldest] = cache.keys()
  if (cache.size > CACHE_SIZE_MAX && oldest !== undefined) cache.delete(oldest)
  // What failed is tried again by the next caller.
  judge.catch(() => cache.delete(cacheKey))
  return judge
}

async function readJudge(q: Queries, scope: EvaluationScope, config: string): Promise<Judge | undefined> {
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
 * Where an evaluator draws its line, told by its verdicts: in the middle between the best that failed and the worst that passed. Where
 * all passed or all failed it is at the end of what was seen; where more is sometimes better and sometimes worse there is none, which
 * a range of zero says.
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
