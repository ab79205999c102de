/** Asks the model of the reflection for a better prompt, and lets the guards decide about its answer. */
import { listItemTexts } from '../../evaluations/runner/case-queries.ts'
import type { Trace } from '../../ingestion/native-trace.ts'
import { NotSentError } from '../../llm/host-limits.ts'
import { ModelError } from '../../llm/model-client.ts'
import { hashContent } from '../../prompts/version-content.ts'
import { BudgetError } from '../../spending/ledger.ts'
import { meteredModel } from '../../spending/metered-model.ts'
import type { Queries } from '../../storage/db.ts'
import { CallNotWanted } from '../../trials/runner/call-budget.ts'
import { type Reflected as AskedModel, reflectionTrace } from '../calls/call-traces.ts'
import { listAnswers, type OpenCall } from '../calls/experiment-call-queries.ts'
import { checkProposal, type GuardSettings, tokensOf } from '../guards/check-proposal.ts'
import { textsIn } from '../guards/copied-phrase.ts'
import { type CandidateContent, type IterationRow, saveProposal } from '../iteration-queries.ts'
import type { Proposed } from '../search/search.ts'
import { type Asking, askingOf } from './asking.ts'
import { endCall, returnAfterFailure, returnUnanswered } from './end-experiment-call.ts'
import { type Attempt, newAttempt } from './experiment-budget.ts'
import { type ReadProposal, type ReflectedCase, readProposal, reflectionQuestion } from './reflection-question.ts'
import type { End, Models, Sending } from './searching.ts'

/** Of the diagnosis, of JSON, and of a model that reasons before it answers. */
const ANSWER_TOKENS_ADDED = 3_000

type Reflecting = { iteration: IterationRow; parent: CandidateContent }

export async function reflect(sending: Sending, call: OpenCall, { iteration, parent }: Reflecting): Promise<End> {
  const { job, experiment } = sending
  const { workspaceId, datasetId } = experiment
  const texts = await listItemTexts(job.db.read, { workspaceId, datasetId, runId: null }, iteration.sample)
  const cases = await readCases(sending, { iteration, texts })
  const attempt = newAttempt(call)
  const given = { parent, cases, texts, attempt, seed: call.number }
  const answered = await askForProposal(askingOf(sending), given)
  if (answered === 'not wanted') return 'ended'
  if ('unsent' in answered) return returnUnanswered(sending, call, { attempt, reason: answered.unsent })
  const { number, kind } = call
  const traced = { ...sending.of, number, attempt: attempt.attempt, kind, iteration: call.iteration }
  const trace = reflectionTrace(traced, answered.asked)
  if ('error' in answered) return fail(sending, call, { attempt, error: answered.error, trace })
  return store(sending, call, { attempt, ...answered, trace })
}

type Reading = {
  parent: CandidateContent
  cases: readonly ReflectedCase[]
  texts: Texts
  attempt: Attempt
  seed: number
}

type Reflected =
  | { read: ReadProposal | { problem: string }; proposed: Proposed; asked: AskedModel }
  | { unsent: string }
  | { error: ModelError; asked: AskedModel }
  | 'not wanted'

/** Asks the model of the reflection, and lets the guards decide. */
export async function askForProposal(
  asking: Asking,
  { parent, cases, texts, attempt, seed }: Reading,
): Promise<Reflected> {
  const { models, plan, clock } = asking
  const { session, model, connection } = models.reflection
  const start = models.prompt.content
  const settings: GuardSettings = { ...plan, start: start.messages, startTools: start.tools }
  const current = { messages: parent.messages, tools: parent.tools ?? start.tools }
  const question = { ...reflectionQuestion(current, cases, { model, settings, optimize: plan.optimize }), model, seed }
  const answerTokensMax =
    2 * Math.max(plan.maxPromptTokens, tokensOf(current.messages, current.tools)) + ANSWER_TOKENS_ADDED
  const metered = { ...asking.meter(session, attempt), answerTokensMax }
  for (;;) {
    const { client, usage } = meteredModel(metered, { mayReuse: false })
    const startedAt = clock.now()
    const asked = { question, connection, startedAt, usage, completion: undefined, error: undefined }
    try {
      const completion = await client.complete(question)
      const read = readProposal(completion.value, current, plan.optimize)
      const items = [...texts.values()].flatMap(({ input, expected }) => [...textsIn(input), ...textsIn(expected)])
      const proposed = judge(models, read, { ...settings, items })
      return { read, proposed, asked: { ...asked, completion, endedAt: clock.now() } }
    } catch (error) {
      if (error instanceof CallNotWanted) return 'not wanted'
      if (error instanceof BudgetError && (await asking.mayTryAgain())) continue
      if (error instanceof BudgetError || error instanceof NotSentError) return { unsent: error.message }
      if (!(error instanceof ModelError)) throw error
      return { error, asked: { ...asked, error: error.message, endedAt: clock.now() } }
    } finally {
      await asking.keepAnswers(usage)
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
  models: Models,
  read: ReadProposal | { problem: string },
  settings: GuardSettings & { items: readonly string[] },
): Proposed {
  if ('problem' in read) return { fate: 'unusable', reason: `The reflection gave no prompt: ${read.problem}` }
  const problem = checkProposal(read.content, settings)
  return problem ?? { hash: hashContent({ ...models.prompt.content, ...read.content }) }
}

type Stored = { attempt: Attempt; read: ReadProposal | { problem: string }; proposed: Proposed; trace: Trace }

/** A prompt that the guards reject is not stored with the candidate: it may contain a text of an item. */
async function store(sending: Sending, call: OpenCall, { attempt, read, proposed, trace }: Stored): Promise<End> {
  const { of } = sending
  const ended = { state: 'done' as const, output: JSON.stringify(proposed) }
  const alongside = async (tx: Queries) => {
    if ('hash' in proposed && 'content' in read) await saveProposal(tx, { ...of, number: call.iteration }, read)
  }
  return endCall(sending, call, ended, { used: attempt, trace, alongside })
}

/** A reflection without an answer ends its proposal, not the experiment. */
async function fail(
  sending: Sending,
  call: OpenCall,
  { attempt, error, trace }: { attempt: Attempt; error: ModelError; trace: Trace },
): Promise<End> {
  const isTransient = error.kind === 'transient'
  const isLast = !isTransient || call.errors + 1 >= REFLECTION_ERRORS_MAX
  if (isLast && !error.isUnavailable && !sending.hardStop.aborted) {
    const proposed: Proposed = { fate: 'unusable', reason: `The reflection failed: ${error.message}` }
    const output = JSON.stringify(proposed)
    return endCall(sending, call, { state: 'failed', reason: error.message, output }, { used: attempt, trace })
  }
  return returnAfterFailure(sending, call, {
    attempt,
    error: error.message,
    failedBy: error.isUnavailable ? 'unavailable' : 'model',
    isTransient,
    retryAfterSeconds: error.retryAfterMs === undefined ? null : error.retryAfterMs / 1_000,
    pausedBy: sending.models.reflection.connection.id,
    trace,
  })
}

const REFLECTION_ERRORS_MAX = 3
