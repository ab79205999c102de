/** Lets a candidate answer an item, and scores the answer. */

import { timestamp } from '../../base/clock.ts'
import { AppError } from '../../base/errors.ts'
import { listItemTexts } from '../../evaluations/runner/case-queries.ts'
import { scoreWithModel } from '../../evaluations/runner/score-with-models.ts'
import { computeScore } from '../../evaluations/runner/score-without-models.ts'
import { asksModel, type Evaluator, type Verdict } from '../../evaluators/evaluator.ts'
import { NotSentError } from '../../llm/host-limits.ts'
import { type Outcome, runTry } from '../../playground/run-try.ts'
import { insertAnswers } from '../../spending/cached-answer-queries.ts'
import { BudgetError } from '../../spending/ledger.ts'
import { type ModelUsage, meteredModel } from '../../spending/metered-model.ts'
import { lastAnswerIn } from '../../traces/semconv/messages/question-and-answer.ts'
import { findCallItems } from '../../trials/calls/call-item-queries.ts'
import { CallNotWanted } from '../../trials/runner/call-budget.ts'
import { rejection } from '../../trials/runner/sending.ts'
import { prepareCall, whyUnusable } from '../../trials/targets/prepare-call.ts'
import type { OpenCall, StoredScores } from '../calls/experiment-call-queries.ts'
import type { CandidateContent } from '../iteration-queries.ts'
import { type EndedCall, endCall, returnAfterFailure, returnUnanswered } from './end-experiment-call.ts'
import { type Attempt, sessionOfAttempt } from './experiment-budget.ts'
import type { End, Sending } from './searching.ts'

type Item = { input: string | null; expected: string | null }

export async function answerItem(sending: Sending, call: OpenCall, candidate: CandidateContent): Promise<End> {
  const { job, models, plan, experiment } = sending
  const { workspaceId, datasetId } = experiment
  const scope = { workspaceId, datasetId }
  const itemId = call.itemId ?? ''
  const item = (await findCallItems(job.db.read, scope, [itemId])).get(itemId)
  if (!item) return endCall(sending, call, { state: 'skipped', nanoUsd: 0, reason: 'The item was deleted' })
  const { expected = null } = (await listItemTexts(job.db.read, { ...scope, runId: null }, [itemId])).get(itemId) ?? {}
  const prompt = {
    ...models.prompt,
    content: { ...models.prompt.content, ...candidate },
    version: undefined,
  }
  const preparing = { workspaceId, prompt, target: plan.target, variables: plan.variables, itemId, item }
  const prepared = await prepareCall(job.db.read, preparing).catch(rejection)
  if (prepared instanceof AppError)
    return endCall(sending, call, { state: 'failed', nanoUsd: 0, reason: prepared.message })
  const attempt: Attempt = { number: call.number, nanoUsd: 0, overBudget: undefined }
  const session = sessionOfAttempt(sending, models.target, attempt)
  const running = {
    session,
    delivery: 'whole' as const,
    clock: job.clock,
    signal: sending.hardStop,
    emit: () => undefined,
  }
  let outcome: Outcome
  for (;;) {
    try {
      outcome = await runTry(prepared, running)
      break
    } catch (error) {
      if (error instanceof CallNotWanted) return 'ended'
      if (error instanceof BudgetError) {
        if (await mayTryAgain(sending)) continue
        return returnUnanswered(sending, call, { attempt, reason: error.message })
      }
      if (!(error instanceof NotSentError)) throw error
      return returnUnanswered(sending, call, { attempt, reason: error.message })
    }
  }
  if (outcome.reason === 'failed')
    return returnAfterFailure(sending, call, { ...outcome, attempt, pausedBy: prompt.source.connection.id })
  sending.deps.backoff.reset(prompt.source.connection.id)
  const unusable = whyUnusable(outcome, plan.target)
  if (unusable !== undefined) {
    // Cut off or refused: what the prompt leads to, so that it counts as the worst answer.
    const worst = { state: 'failed' as const, value: 0, reason: unusable, output: outcome.text }
    return endCall(sending, call, { ...worst, nanoUsd: attempt.nanoUsd })
  }
  const output = outputOf(outcome)
  const scored = await scoreAnswer(sending, { attempt, item: { input: item.input, expected }, output })
  if (scored === 'stopped') return returnUnanswered(sending, call, { attempt, reason: attempt.overBudget ?? STOPPED })
  return endCall(sending, call, { ...scored, nanoUsd: attempt.nanoUsd, output })
}

/** As the trace of a trial has it: calls of tools are the output if nothing answers them. */
function outputOf({ text, openCalls }: Outcome): string {
  return openCalls.length > 0 ? (lastAnswerIn(JSON.stringify(openCalls)) ?? text) : text
}

const STOPPED = 'The work was stopped before the answer was scored'

/** Calls in flight are reserved at their maximum, and mostly cost less. */
export async function mayTryAgain({ pool, isOver }: Sending): Promise<boolean> {
  return (await pool.waitForOthers()) && !isOver()
}

type Answer = { attempt: Attempt; item: Item; output: string }

async function scoreAnswer(sending: Sending, answer: Answer): Promise<Omit<EndedCall, 'nanoUsd'> | 'stopped'> {
  const { models, plan } = sending
  const scores: StoredScores = {}
  for (const evaluator of models.config.evaluators) {
    const verdict = await scoreOnce(sending, evaluator, answer)
    if (verdict === 'stopped') return 'stopped'
    scores[evaluator.name] = {
      score: shareOf(verdict, evaluator),
      reason: verdict.state === 'scored' ? (verdict.reason ?? verdict.label ?? null) : verdict.reason,
    }
  }
  return { state: 'done', value: valueFor(scores, plan.weights), scores }
}

async function scoreOnce(
  sending: Sending,
  evaluator: Evaluator,
  { attempt, item, output }: Answer,
): Promise<Verdict | 'stopped'> {
  const { models, job, hardStop, deps } = sending
  const { config, breaker } = models
  const input = {
    ...item,
    output,
    baseline: null,
    ratings: [],
    trace: null,
    itemId: null,
    itemHash: null,
    isTraceMissing: false,
  }
  const pending = { caseRef: '', evaluator: evaluator.name, repetition: 1, attempts: 0, itemId: null, traceRef: null }
  const task = { evaluator, pending, input }
  if (!asksModel(evaluator)) {
    const { verdict } = await computeScore(task, { workspaceId: job.workspaceId, config, signal: job.signal })
    return verdict
  }
  if (!models.judges) return 'stopped'
  for (;;) {
    attempt.overBudget = undefined
    const model = meteredModel(sessionOfAttempt(sending, models.judges, attempt), { mayReuse: true })
    const stops = { hardStop, softStop: hardStop, retryPauseMs: deps.retryPauseMs }
    const result = await scoreWithModel(task, stops, { model, breaker, onState: async () => undefined })
    await storeAnswers(sending, model.usage)
    if (!result) return 'stopped'
    if (attempt.overBudget === undefined) return result.verdict
    if (!(await mayTryAgain(sending))) return 'stopped'
  }
}

/** They are paid for: the same answer is not judged twice. */
async function storeAnswers({ job }: Sending, { answers }: ModelUsage): Promise<void> {
  if (answers.length === 0) return
  const now = timestamp(job.clock.now())
  await job.commit((tx) => insertAnswers(tx, job.workspaceId, { answers, now }))
}

/** As a share of the scale, of which 1 is the best; null if there is no score. */
function shareOf(verdict: Verdict, { scale, higherIsBetter }: Evaluator): number | null {
  if (verdict.state !== 'scored') return null
  if (verdict.score === null || scale === null) return verdict.passed === undefined ? null : Number(verdict.passed)
  const share = Math.min(1, Math.max(0, (verdict.score - scale[0]) / (scale[1] - scale[0])))
  return higherIsBetter ? share : 1 - share
}

/** The mean of the evaluators that are improved, by their weights; null if none of them has a score. */
function valueFor(scores: StoredScores, weights: Record<string, number>): number | null {
  let [sum, total] = [0, 0]
  for (const [name, weight] of Object.entries(weights)) {
    const score = scores[name]?.score ?? null
    if (score === null) continue
    sum += weight * score
    total += weight
  }
  return total === 0 ? null : sum / total
}
