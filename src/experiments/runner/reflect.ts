/** Asks the model of the reflection for a better prompt, and lets the guards decide about its answer. */
import { timestamp } from '../../base/clock.ts'
import { listItemTexts } from '../../evaluations/runner/case-queries.ts'
import { NotSentError } from '../../llm/host-limits.ts'
import { ModelError } from '../../llm/model-client.ts'
import { hashContent } from '../../prompts/version-content.ts'
import { insertAnswers } from '../../spending/cached-answer-queries.ts'
import { BudgetError } from '../../spending/ledger.ts'
import { meteredModel } from '../../spending/metered-model.ts'
import { CallNotWanted } from '../../trials/runner/call-budget.ts'
import { listAnswers, type OpenCall } from '../calls/experiment-call-queries.ts'
import { checkProposal, type GuardSettings, tokensOf } from '../guards/check-proposal.ts'
import { textsIn } from '../guards/copied-phrase.ts'
import { type CandidateContent, type IterationRow, saveProposal } from '../iteration-queries.ts'
import type { Proposed } from '../search/search.ts'
import { mayTryAgain } from './answer-item.ts'
import { endCall, returnAfterFailure, returnUnanswered } from './end-experiment-call.ts'
import { type Attempt, sessionOfAttempt } from './experiment-budget.ts'
import { type ReadProposal, type ReflectedCase, readProposal, reflectionQuestion } from './reflection-question.ts'
import type { End, Sending } from './searching.ts'

/** Of the diagnosis, of JSON, and of a model that reasons before it answers. */
const ANSWER_TOKENS_ADDED = 3_000

type Reflecting = { iteration: IterationRow; parent: CandidateContent }

export async function reflect(sending: Sending, call: OpenCall, { iteration, parent }: Reflecting): Promise<End> {
  const { job, models, plan, experiment } = sending
  const { workspaceId, datasetId } = experiment
  const { session, model, connectionId } = models.reflection
  const texts = await listItemTexts(job.db.read, { workspaceId, datasetId, runId: null }, iteration.sample)
  const own = models.prompt.content
  const settings: GuardSettings = { ...plan, start: own.messages, startTools: own.tools }
  const cases = await readCases(sending, { iteration, texts })
  const current = { messages: parent.messages, tools: parent.tools ?? own.tools }
  const question = reflectionQuestion(current, cases, { model, settings, optimize: plan.optimize })
  const attempt: Attempt = { number: call.number, nanoUsd: 0, overBudget: undefined }
  const answerTokensMax =
    2 * Math.max(plan.maxPromptTokens, tokensOf(current.messages, current.tools)) + ANSWER_TOKENS_ADDED
  const metered = { ...sessionOfAttempt(sending, session, attempt), answerTokensMax }
  for (;;) {
    const { client, usage } = meteredModel(metered, { mayReuse: false })
    try {
      const { value } = await client.complete({ ...question, seed: call.number })
      const read = readProposal(value, current, plan.optimize)
      const items = [...texts.values()].flatMap(({ input, expected }) => [...textsIn(input), ...textsIn(expected)])
      return await store(sending, call, { attempt, read, proposed: judge(sending, read, { ...settings, items }) })
    } catch (error) {
      if (error instanceof CallNotWanted) return 'ended'
      if (error instanceof BudgetError) {
        if (await mayTryAgain(sending)) continue
        return returnUnanswered(sending, call, { attempt, reason: error.message })
      }
      if (error instanceof NotSentError) return returnUnanswered(sending, call, { attempt, reason: error.message })
      if (!(error instanceof ModelError)) throw error
      return fail(sending, call, { attempt, error, connectionId })
    } finally {
      const now = timestamp(job.clock.now())
      if (usage.answers.length > 0)
        await job.commit((tx) => insertAnswers(tx, workspaceId, { answers: usage.answers, now }))
    }
  }
}

type Texts = Awaited<ReturnType<typeof listItemTexts>>

/** Only training items of the sample: nothing of the validation or the test is ever read here. */
async function readCases(
  { job, of }: Sending,
  { iteration, texts }: { iteration: IterationRow; texts: Texts },
): Promise<ReflectedCase[]> {
  const answers = await listAnswers(job.db.read, of, { iteration: iteration.parent ?? 0, itemIds: iteration.sample })
  return iteration.sample.flatMap((itemId) => {
    const [text, answer] = [texts.get(itemId), answers.get(itemId)]
    if (!text || !answer) return []
    const reasons = Object.entries(answer.scores).flatMap(([name, { reason }]) =>
      reason === null ? [] : [`${name}: ${reason}`],
    )
    const { input, expected } = text
    return [{ input, expected, output: answer.output, score: answer.value, reasons, error: answer.reason }]
  })
}

function judge(
  { models }: Sending,
  read: ReadProposal | { problem: string },
  settings: GuardSettings & { items: readonly string[] },
): Proposed {
  if ('problem' in read) return { fate: 'unusable', reason: `The reflection gave no prompt: ${read.problem}` }
  const problem = checkProposal(read.content, settings)
  return problem ?? { hash: hashContent({ ...models.prompt.content, ...read.content }) }
}

type Stored = { attempt: Attempt; read: ReadProposal | { problem: string }; proposed: Proposed }

/** What the guards reject is not stored: it may contain a text of an item. */
async function store(sending: Sending, call: OpenCall, { attempt, read, proposed }: Stored): Promise<End> {
  const { of } = sending
  const ended = { state: 'done' as const, nanoUsd: attempt.nanoUsd, output: JSON.stringify(proposed) }
  return endCall(sending, call, ended, async (tx) => {
    if ('hash' in proposed && 'content' in read) await saveProposal(tx, { ...of, number: call.iteration }, read)
  })
}

/** A reflection without an answer ends its proposal, not the experiment. */
async function fail(
  sending: Sending,
  call: OpenCall,
  { attempt, error, connectionId }: { attempt: Attempt; error: ModelError; connectionId: string },
): Promise<End> {
  const isTransient = error.kind === 'transient'
  const isLast = !isTransient || call.errors + 1 >= REFLECTION_ERRORS_MAX
  if (isLast && !error.isUnavailable && !sending.hardStop.aborted) {
    const proposed: Proposed = { fate: 'unusable', reason: `The reflection failed: ${error.message}` }
    const output = JSON.stringify(proposed)
    return endCall(sending, call, { state: 'failed', nanoUsd: attempt.nanoUsd, reason: error.message, output })
  }
  return returnAfterFailure(sending, call, {
    attempt,
    error: error.message,
    failedBy: error.isUnavailable ? 'unavailable' : 'model',
    isTransient,
    retryAfterSeconds: error.retryAfterMs === undefined ? null : error.retryAfterMs / 1_000,
    pausedBy: connectionId,
  })
}

const REFLECTION_ERRORS_MAX = 3
