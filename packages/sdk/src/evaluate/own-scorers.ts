import { TouchstoneError } from '../sdk-errors.ts'
import type { Touchstone } from '../touchstone.ts'
import type { EvaluatedCase, EvaluateOptions, Scorer, ScorerResult, ServerEvaluator } from './evaluate-options.ts'
import { runConcurrently } from './run-concurrently.ts'

const SCORES_PER_REQUEST = 100
const TEXT_LENGTH_MAX = 4000
const LABEL_LENGTH_MAX = 200

/** Separates functions of the program from evaluators of the server. Throws if a function has no name, or two have the same. */
export function readEvaluators<Output>(evaluators: NonNullable<EvaluateOptions<Output>['evaluators']>) {
  const scorers: Scorer<Output>[] = []
  const config: Record<string, unknown>[] = []
  for (const evaluator of evaluators) {
    const scorer = asScorer(evaluator)
    if (scorer) {
      const { score: _, ...settings } = scorer
      scorers.push(scorer)
      config.push({ type: 'external', ...settings })
    } else config.push(typeof evaluator === 'string' ? { type: evaluator } : { ...evaluator })
  }
  const names = config.map(({ type, name }) => String(name ?? type))
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw new TouchstoneError(`Two evaluators have the name "${twice}".`)
  return { scorers, evaluators: config }
}

function asScorer<Output>(
  evaluator: ServerEvaluator | Scorer<Output> | Scorer<Output>['score'],
): Scorer<Output> | undefined {
  if (typeof evaluator === 'function') {
    if (evaluator.name === '') {
      throw new TouchstoneError('A scorer needs a name: use a named function, or { name, score }.')
    }
    return { name: evaluator.name, score: evaluator }
  }
  if (typeof evaluator === 'string' || typeof evaluator.score !== 'function') return undefined
  // A function as `score` is what distinguishes a scorer: options of the server are JSON.
  return evaluator as Scorer<Output>
}

type DeliveredScore = Parameters<Touchstone['evaluations']['addScores']>[2][number]

interface Scoring<Output> {
  client: Touchstone
  componentId: string
  evaluationId: string
  scorers: Scorer<Output>[]
  cases: EvaluatedCase<Output>[]
  limit: number
  signal: AbortSignal | undefined
  onScore(): void
}

/** Scores all cases and delivers the scores in batches. A scorer that throws fails its score and nothing else. */
export async function deliverOwnScores<Output>(scoring: Scoring<Output>): Promise<void> {
  const { client, componentId, evaluationId, scorers, cases, limit, signal, onScore } = scoring
  let batch: DeliveredScore[] = []
  const deliver = async (scores: DeliveredScore[]) => {
    const { unknown } = await client.evaluations.addScores(componentId, evaluationId, scores, { signal })
    const [first] = unknown
    if (first) throw new TouchstoneError(`The server rejected ${unknown.length} scores: ${first.reason}.`)
  }
  const pairs = cases.flatMap((scored) => scorers.map((scorer) => ({ scored, scorer })))
  await runConcurrently(pairs, { limit, signal }, async ({ scored, scorer }) => {
    batch.push(await scoreCase(scorer, scored))
    onScore()
    if (batch.length < SCORES_PER_REQUEST) return
    const full = batch
    batch = []
    await deliver(full)
  })
  if (batch.length > 0) await deliver(batch)
}

async function scoreCase<Output>(scorer: Scorer<Output>, scored: EvaluatedCase<Output>): Promise<DeliveredScore> {
  const at = { evaluator: scorer.name, traceDbId: scored.traceDbId }
  if (scored.error !== undefined) return { ...at, error: cut(`The task failed: ${scored.error}`) }
  try {
    return { ...at, ...readResult(await scorer.score(scored)) }
  } catch (error) {
    return { ...at, error: cut(error instanceof Error ? error.message || error.name : String(error)) }
  }
}

/** Throws if it is no result, for example a score outside of 0 to 1: the score is then failed with that reason. */
function readResult(result: ScorerResult): Omit<DeliveredScore, 'evaluator' | 'traceDbId'> {
  if (typeof result === 'boolean') return { passed: result }
  const { score, label, passed, reason, details } = typeof result === 'number' ? { score: result } : Object(result)
  if (score !== undefined && !(typeof score === 'number' && score >= 0 && score <= 1)) {
    throw new TouchstoneError(`The scorer returned ${score}, which is no score from 0 to 1`)
  }
  if (score === undefined && label === undefined && passed === undefined) {
    throw new TouchstoneError('The scorer returned neither a score, a label nor passed')
  }
  return {
    ...(score !== undefined && { score }),
    ...(passed !== undefined && { passed: Boolean(passed) }),
    ...(label !== undefined && { label: String(label).slice(0, LABEL_LENGTH_MAX) }),
    ...(reason !== undefined && { reason: cut(String(reason)) }),
    ...(details !== undefined && { details }),
  }
}

function cut(text: string): string {
  return text.slice(0, TEXT_LENGTH_MAX) || 'unknown error'
}
