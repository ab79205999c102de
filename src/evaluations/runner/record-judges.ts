/**
 * Stores what an evaluation judges with and its config does not say: models that were chosen by default, the address of the connection,
 * the rating scheme. A comparison of two evaluations with different ones would report the change of the judge as one of the runs.
 */
import { createHash } from 'node:crypto'
import { readRatingScheme } from '../../annotations/rating-rule-queries.ts'
import type { Evaluator } from '../../evaluators/evaluator.ts'
import { isGoodRating } from '../../evaluators/rating-scheme.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { type JudgedWith, judgedWithText, readJudgedWith } from '../../scores/judged-with.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import { WHOLE } from './model-session.ts'
import { findJudgedWith, hasPendingScores, setJudgedWith } from './plan-queries.ts'

type Judging = { evaluators: readonly Evaluator[]; session: ModelSession | undefined }

/** Before the first score, and before those of a retry, which another model may judge. */
export async function recordJudges(
  { db, commit }: JobRun,
  of: EvaluationScope,
  { evaluators, session }: Judging,
): Promise<void> {
  const judging = evaluators.filter(({ needs }) => needs.includes('model') || needs.includes('ratings'))
  if (judging.length === 0) return
  const stored = readJudgedWith((await findJudgedWith(db.read, of)) ?? null)
  const judgedWith = new Map(stored)
  for (const evaluator of judging) {
    const known = stored.get(evaluator.name)
    if (known && !(await hasPendingScores(db.read, of, evaluator.name))) continue
    const { judges, ratings } = await judgesOf(db.read, of, { evaluator, session })
    const all = new Set([...(known?.judges ?? []), ...judges])
    judgedWith.set(evaluator.name, { judges: [...all], ratings })
  }
  const text = judgedWithText(judgedWith)
  if (text !== judgedWithText(stored)) await commit((tx) => setJudgedWith(tx, of, text))
}

async function judgesOf(
  q: JobRun['db']['read'],
  { workspaceId }: EvaluationScope,
  { evaluator, session }: { evaluator: Evaluator; session: ModelSession | undefined },
): Promise<JudgedWith> {
  const asked = session ? (evaluator.estimate?.(WHOLE) ?? []) : []
  const models = asked.map(({ model, purpose = 'completion' }) => model ?? session?.defaultModelOf(purpose) ?? '')
  const address = createHash('sha256')
    .update(session?.baseUrl ?? '')
    .digest('base64url')
    .slice(0, 16)
  const judges = [...new Set(models)].map((model) => `${model}@${address}`)
  if (!evaluator.needs.includes('ratings')) return { judges }
  const scheme = await readRatingScheme(q, workspaceId)
  const words = scheme.ratings.map(({ value }) => [value, isGoodRating(scheme, value) ?? null] as const)
  return { judges, ratings: Object.fromEntries(words) }
}
