/** Lets a candidate answer an item, and scores the answer. */

import { AppError } from '../../base/errors.ts'
import { listItemTexts } from '../../evaluations/runner/case-queries.ts'
import { scoreWithModel } from '../../evaluations/runner/score-with-models.ts'
import { computeScore } from '../../evaluations/runner/score-without-models.ts'
import { asksModel, type Evaluator, type Verdict } from '../../evaluators/evaluator.ts'
import { NotSentError } from '../../llm/host-limits.ts'
import { durationOf, type Outcome, runTry } from '../../playground/run-try.ts'
import { BudgetError } from '../../spending/ledger.ts'
import { meteredModel } from '../../spending/metered-model.ts'
import { lastAnswerIn } from '../../traces/semconv/messages/question-and-answer.ts'
import { findCallItems } from '../../trials/calls/call-item-queries.ts'
import { CallNotWanted } from '../../trials/runner/call-budget.ts'
import { rejection } from '../../trials/runner/sending.ts'
import { prepareCall, whyUnusable } from '../../trials/targets/prepare-call.ts'
import { answerTrace, type Tried } from '../calls/call-traces.ts'
import type { OpenCall, StoredScores } from '../calls/experiment-call-queries.ts'
import type { CandidateContent } from '../iteration-queries.ts'
import { type Asking, askingOf } from './asking.ts'
import { type EndedCall, endCall, returnAfterFailure, returnUnanswered } from './end-experiment-call.ts'
import { type Attempt, newAttempt } from './experiment-budget.ts'
import type { End, Sending } from './searching.ts'

type Item = { input: string | null; expected: string | null }

/**
 * How a call ended that was asked for; `unsent` and `failure` say why there is no answer, and that it may be asked for again. `tried` is absent
 * if no model was asked.
 */
export type Answered =
  | { ended: EndedCall; tried?: Tried }
  | { unsent: string }
  | { failure: Outcome; tried: Tried }
  | 'not wanted'

type Asked = {
  itemId: string
  candidate: CandidateContent
  /** Whether the candidate is the version that the experiment has started from. */
  isStart: boolean
  attempt: Attempt
}

/** Asks the model of the prompt, and the evaluators about its answer. */
export async function askForAnswer(asking: Asking, { itemId, candidate, isStart, attempt }: Asked): Promise<Answered> {
  const { db, models, plan, workspaceId, datasetId, hardStop, clock } = asking
  const scope = { workspaceId, datasetId }
  const item = (await findCallItems(db.read, scope, [itemId])).get(itemId)
  if (!item) return { ended: { state: 'skipped', reason: 'The item was deleted' } }
  const { expected = null } = (await listItemTexts(db.read, { ...scope, runId: null }, [itemId])).get(itemId) ?? {}
  const content = { ...models.prompt.content, ...candidate }
  const prompt = { ...models.prompt, content, version: isStart ? models.prompt.version : undefined }
  const preparing = { workspaceId, prompt, target: plan.target, variables: plan.variables, itemId, item }
  const prepared = await prepareCall(db.read, preparing).catch(rejection)
  if (prepared instanceof AppError) return { ended: { state: 'failed', reason: prepared.message } }
  const session = asking.meter(models.target, attempt)
  const running = { session, delivery: 'whole' as const, clock, signal: hardStop, emit: () => undefined }
  let outcome: Outcome
  for (;;) {
    try {
      outcome = await runTry(prepared, running)
      break
    } catch (error) {
      if (error instanceof CallNotWanted) return 'not wanted'
      if (error instanceof BudgetError && (await asking.mayTryAgain())) continue
      if (error instanceof BudgetError || error instanceof NotSentError) return { unsent: error.message }
      throw error
    }
  }
  const tried = { prepared, outcome }
  if (outcome.reason === 'failed') return { failure: outcome, tried }
  const unusable = whyUnusable(outcome, plan.target)
  // Cut off or refused: what the prompt leads to, so that it counts as the worst answer.
  if (unusable !== undefined)
    return { ended: { state: 'failed', value: 0, reason: unusable, output: outcome.text }, tried }
  const output = outputOf(outcome)
  const scored = await scoreAnswer(asking, { attempt, item: { input: item.input, expected }, output })
  if (scored === 'stopped') return { unsent: attempt.overBudget ?? STOPPED }
  return { ended: { ...scored, output }, tried }
}

export async function answerItem(sending: Sending, call: OpenCall, candidate: CandidateContent): Promise<End> {
  const { number, kind, iteration } = call
  const attempt = newAttempt(call)
  const asked = { itemId: call.itemId ?? '', candidate, isStart: iteration === 0, attempt }
  const answered = await askForAnswer(askingOf(sending), asked)
  if (answered === 'not wanted') return 'ended'
  if ('unsent' in answered) return returnUnanswered(sending, call, { attempt, reason: answered.unsent })
  const { connection } = sending.models.prompt.source
  const traced = { ...sending.of, number, attempt: attempt.attempt, kind, iteration }
  const trace = answered.tried && answerTrace(traced, answered.tried)
  if ('failure' in answered)
    return returnAfterFailure(sending, call, { ...answered.failure, attempt, pausedBy: connection.id, trace })
  if (answered.ended.output !== undefined) sending.deps.backoff.reset(connection.id)
  const durationMs = answered.tried ? durationOf(answered.tried.outcome) : null
  return endCall(sending, call, { ...answered.ended, durationMs }, { used: attempt, trace })
}

/** As the trace of a trial has it: calls of tools are the output if nothing answers them. */
function outputOf({ text, openCalls }: Outcome): string {
  return openCalls.length > 0 ? (lastAnswerIn(JSON.stringify(openCalls)) ?? text) : text
}

const STOPPED = 'The work was stopped before the answer was scored'

type Answer = { attempt: Attempt; item: Item; output: string }

async function scoreAnswer(asking: Asking, answer: Answer): Promise<EndedCall | 'stopped'> {
  const { models, plan } = asking
  const scores: StoredScores = {}
  for (const evaluator of models.config.evaluators) {
    const verdict = await scoreOnce(asking, evaluator, answer)
    if (verdict === 'stopped') return 'stopped'
    scores[evaluator.name] = {
      score: shareOf(verdict, evaluator),
      reason: verdict.state === 'scored' ? (verdict.reason ?? verdict.label ?? null) : verdict.reason,
    }
  }
  return { state: 'done', value: valueFor(scores, plan.weights), scores }
}

async function scoreOnce(
  asking: Asking,
  evaluator: Evaluator,
  { attempt, item, output }: Answer,
): Promise<Verdict | 'stopped'> {
  const { models, workspaceId, hardStop, signal, retryPauseMs } = asking
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
    const { verdict } = await computeScore(task, { workspaceId, config, signal })
    return verdict
  }
  if (!models.judges) return 'stopped'
  for (;;) {
    attempt.overBudget = undefined
    const model = meteredModel(asking.meter(models.judges, attempt), { mayReuse: true })
    const stops = { hardStop, softStop: hardStop, retryPauseMs }
    const result = await scoreWithModel(task, stops, { model, breaker, onState: async () => undefined })
    await asking.keepAnswers(model.usage)
    if (!result) return 'stopped'
    if (attempt.overBudget === undefined) return result.verdict
    if (!(await asking.mayTryAgain())) return 'stopped'
  }
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
