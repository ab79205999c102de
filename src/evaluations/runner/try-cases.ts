/** Runs evaluators on a few cases at once and returns the verdicts instead of storing them. */
import { elapsedMs, timestamp } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import { asksModel, type Verdict } from '../../evaluators/evaluator.ts'
import type { Context } from '../../http/route.ts'
import { WITHHELD_REASON } from '../../scores/list-scores.ts'
import type { CaseKey, ScoreResult } from '../../scores/score-queries.ts'
import { cappedBudget } from '../../spending/budget.ts'
import { insertAnswers } from '../../spending/cached-answer-queries.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../spending/circuit-breaker.ts'
import { type ModelSession, type ModelUsage, meteredModel } from '../../spending/metered-model.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import type { LoadedCase } from './load-cases.ts'
import { createModelSession } from './model-session.ts'
import type { EvaluationDeps } from './run-evaluation.ts'
import { scoreWithModel } from './score-with-models.ts'
import { computeScore } from './score-without-models.ts'
import { logFailures, type Task } from './scoring.ts'

/** Once this much is spent, no further question is asked. */
const COST_USD_MAX = 1

export type TryDeps = EvaluationDeps & {
  /** After this time, the scores that are still missing are skipped. */
  previewTimeoutMs: number
}

type Trying = {
  workspaceId: string
  config: EvaluationConfig
  keys: readonly CaseKey[]
  inputs: ReadonlyMap<string, LoadedCase>
  /** The evaluators whose verdicts the reader must not see. */
  withheld: readonly string[]
}

type TriedScore = ReturnType<typeof triedScore>

/** `scores` has the scores of each case, in the order of the evaluators. `costUsd` is null if a call has no price. */
export async function tryCases(
  { db, clock, newId, signal }: Pick<Context, 'db' | 'clock' | 'newId' | 'signal'>,
  deps: TryDeps,
  { workspaceId, config, keys, inputs, withheld }: Trying,
) {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(deps.previewTimeoutMs)])
  // It takes turns at the provider as an evaluation of its own.
  const options = { evaluationId: newId(), config, spentUsd: 0, hardStop: stop, softStop: stop }
  const session = config.evaluators.some(asksModel)
    ? await createModelSession({ db, workspaceId, clock }, deps, options)
    : undefined
  const attempt: Attempt = {
    workspaceId,
    config,
    deps,
    stop,
    session: session && { ...session, budget: cappedBudget(session.budget, COST_USD_MAX) },
    breaker: createCircuitBreaker(),
    usages: [],
  }
  const tasks = keys.flatMap((key) => tasksOf(config, key, inputs.get(key.ref)))
  const tried = new Map<Task, TriedScore>()
  const tryNext = async () => {
    for (let task = tasks.shift(); task && !signal.aborted; task = tasks.shift()) {
      const since = elapsedMs(clock)
      const isHidden = withheld.includes(task.evaluator.name)
      const result = isHidden ? undefined : await scoreOf(task, attempt)
      const reason = isHidden ? WITHHELD_REASON : outOfTime(deps)
      const verdict: Verdict = result?.verdict ?? { state: 'skipped', reason }
      tried.set(task, triedScore(task, verdict, { durationMs: Math.round(elapsedMs(clock) - since), result }))
    }
  }
  const all = [...tasks]
  try {
    await Promise.all(Array.from({ length: config.concurrency }, tryNext))
  } finally {
    // They are paid for, even if the client has left: the evaluation need not ask again.
    const answers = attempt.usages.flatMap((usage) => usage.answers)
    const now = timestamp(clock.now())
    if (answers.length > 0) await db.transaction((tx) => insertAnswers(tx, workspaceId, { answers, now }))
  }
  signal.throwIfAborted()
  const byCase = Map.groupBy(all, ({ pending }) => pending.caseRef)
  return {
    scores: new Map([...byCase].map(([ref, own]) => [ref, own.flatMap((task) => tried.get(task) ?? [])])),
    ...spendOf(attempt.usages),
  }
}

function tasksOf({ evaluators }: EvaluationConfig, { ref, ...key }: CaseKey, input: LoadedCase | undefined): Task[] {
  if (!input) return []
  return evaluators.map((evaluator) => {
    return {
      evaluator,
      pending: { caseRef: ref, evaluator: evaluator.name, repetition: 1, attempts: 0, ...key },
      input,
    }
  })
}

type Attempt = {
  workspaceId: string
  config: EvaluationConfig
  deps: TryDeps
  stop: AbortSignal
  session: ModelSession | undefined
  breaker: CircuitBreaker
  /** Receives the model calls of each score. */
  usages: ModelUsage[]
}

/** Undefined if it was stopped. */
async function scoreOf(task: Task, attempt: Attempt): Promise<ScoreResult | undefined> {
  const { config, deps, stop } = attempt
  if (stop.aborted) return undefined
  try {
    const result = asksModel(task.evaluator)
      ? await askModel(task, attempt)
      : await computeScore(task, { workspaceId: attempt.workspaceId, config, signal: stop })
    if (result) logFailures({ log: deps.log, config }, [result])
    return result
  } catch (error) {
    if (stop.aborted) return undefined
    throw error
  }
}

function askModel(task: Task, { config, deps, stop, session, breaker, usages }: Attempt) {
  invariant(session !== undefined, 'there is a session if an evaluator asks a model')
  const model = meteredModel(session, { mayReuse: config.repetitions === 1 })
  usages.push(model.usage)
  const stops = { hardStop: stop, softStop: stop, retryPauseMs: deps.retryPauseMs }
  return scoreWithModel(task, stops, { model, breaker, onState: async () => undefined })
}

function outOfTime({ previewTimeoutMs }: TryDeps): string {
  return `a preview ends after ${previewTimeoutMs / 1_000} seconds, and this score was not ready by then`
}

type Tried = { durationMs: number; result: ScoreResult | undefined }

/** As in the list of scores: `reason` explains a score, `error` explains why there is none. */
function triedScore({ evaluator: { name } }: Task, verdict: Verdict, { durationMs, result }: Tried) {
  const isScored = verdict.state === 'scored'
  return {
    evaluator: name,
    state: verdict.state,
    score: isScored ? verdict.score : null,
    label: isScored ? (verdict.label ?? null) : null,
    passed: isScored ? (verdict.passed ?? null) : null,
    reason: isScored ? (verdict.reason ?? null) : null,
    error: isScored ? null : verdict.reason,
    durationMs,
    costUsd: result?.costUsd ?? null,
  }
}

function spendOf(usages: readonly ModelUsage[]) {
  const hasUnpriced = usages.some(({ costUsd }) => costUsd === null)
  return {
    calls: usages.reduce((sum, { calls }) => sum + calls, 0),
    costUsd: hasUnpriced ? null : usages.reduce((sum, { spentUsd }) => sum + spentUsd, 0),
  }
}
