/**
 * Runs a try of a prompt: one call of a model, or several if tools have recorded answers. It ends by itself, also after the client has
 * left: calls that were sent are charged, and the trace is stored.
 */
import { type Clock, elapsedMs } from '../base/clock.ts'
import type { ChatMessage, ChatRequest, ChatResult, FinishReason, ToolCall } from '../llm/chat.ts'
import { NotSentError } from '../llm/host-limits.ts'
import { ModelError } from '../llm/model-client.ts'
import { BudgetError } from '../spending/ledger.ts'
import { type ModelSession, type ModelUsage, meteredModel } from '../spending/metered-model.ts'
import type { PreparedTry } from './prepare-try.ts'

/** Each may be paid for. */
const CALLS_MAX = 10

export type TryEvent =
  | { name: 'text'; data: { call: number; text: string } }
  | { name: 'toolCall'; data: { call: number; toolCall: ToolCall; answer: string | null } }

/** One call of the model, for the trace. */
export type TriedCall = {
  startedAt: number
  endedAt: number
  messages: readonly ChatMessage[]
  /** What has arrived, if it failed. */
  result: Pick<ChatResult, 'text' | 'toolCalls' | 'model'> & Partial<ChatResult>
  usage: ModelUsage
  error: string | undefined
  /** By the ids of their calls. */
  answers: ReadonlyMap<string, string>
}

type Reason = 'answered' | 'toolCalls' | 'cutOff' | 'refused' | 'failed'

export type Outcome = {
  reason: Reason
  error: string | null
  isTransient: boolean
  /** `unavailable`: the provider answers no one at the moment. Null if the model answered. */
  failedBy: 'unavailable' | 'budget' | 'model' | null
  retryAfterSeconds: number | null
  /** Of the last call. */
  text: string
  openCalls: readonly ToolCall[]
  /** After the messages of the prompt, up to the last answer of the model. */
  conversation: readonly ChatMessage[]
  calls: readonly TriedCall[]
  firstTextMs: number | null
}

type Running = {
  session: ModelSession
  /** Default: a stream, for a user who waits. */
  delivery?: 'whole'
  clock: Clock
  signal: AbortSignal
  emit(event: TryEvent): void
}

/** Rejects with a BudgetError, or a NotSentError, if not even the first call was sent. */
export async function runTry(prepared: PreparedTry, running: Running): Promise<Outcome> {
  const { request, promptLength, toolAnswers, recorded } = prepared
  const { clock, emit } = running
  const since = elapsedMs(clock)
  const calls: TriedCall[] = []
  let firstTextMs: number | null = null
  let messages: readonly ChatMessage[] = request.messages

  for (;;) {
    const { call, failure } = await callOnce({ ...request, messages }, running, (text) => {
      firstTextMs ??= Math.round(elapsedMs(clock) - since)
      emit({ name: 'text', data: { call: calls.length + 1, text } })
    })
    // Later calls of the same try end it as a failed call does.
    if (calls.length === 0 && isUnsent(failure)) throw failure
    calls.push(call)
    const { text, toolCalls, native, finishReason } = call.result
    const ended = { text, calls, firstTextMs, conversation: messages.slice(promptLength), openCalls: [] }
    if (failure !== undefined) return { ...ended, ...failureOf(failure) }
    const answer: ChatMessage = { role: 'assistant', content: text, toolCalls, ...(native && { native }) }
    const conversation = [...messages.slice(promptLength), answer]
    const answers = new Map<string, string>()
    for (const toolCall of toolCalls) {
      const found = toolAnswers === 'recorded' ? recorded.find(toolCall) : undefined
      if (found !== undefined) answers.set(toolCall.id, found)
      emit({ name: 'toolCall', data: { call: calls.length, toolCall, answer: found ?? null } })
    }
    calls[calls.length - 1] = { ...call, answers }
    const results = toolCalls.flatMap(({ id }): ChatMessage[] => {
      const content = answers.get(id)
      return content === undefined ? [] : [{ role: 'tool', toolCallId: id, content }]
    })
    const openCalls = toolCalls.filter(({ id }) => !answers.has(id))
    if (toolCalls.length === 0 || openCalls.length > 0 || finishReason !== 'toolCalls')
      return {
        ...ended,
        ...endOf(finishReason, request.parameters.maxTokens),
        conversation: [...conversation, ...results],
        openCalls,
      }
    if (calls.length >= CALLS_MAX) return { ...ended, ...TOO_MANY_CALLS }
    messages = [...request.messages.slice(0, promptLength), ...conversation, ...results]
  }
}

/** From the first request to the last answer. */
export function durationOf({ calls }: Pick<Outcome, 'calls'>): number | null {
  const [first, last] = [calls[0], calls.at(-1)]
  return first && last ? Math.max(0, last.endedAt - first.startedAt) : null
}

function isUnsent(failure: unknown): boolean {
  return failure instanceof BudgetError || failure instanceof NotSentError
}

async function callOnce(
  request: ChatRequest & { model: string },
  { session, clock, signal, delivery }: Running,
  onText: (text: string) => void,
): Promise<{ call: TriedCall; failure: unknown }> {
  const { client, usage } = meteredModel(session, { mayReuse: false })
  const startedAt = clock.now()
  let result: TriedCall['result'] = { text: '', toolCalls: [], model: request.model }
  let failure: unknown
  try {
    if (delivery === 'whole') result = await client.chat({ ...request, signal })
    const events = delivery === 'whole' ? [] : client.stream({ ...request, signal })
    for await (const event of events) {
      if (event.type === 'end') result = event.result
      if (event.type !== 'text') continue
      result = { ...result, text: result.text + event.text }
      onText(event.text)
    }
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof BudgetError)) throw error
    failure = error
  }
  const error = failure instanceof Error ? failure.message : undefined
  const times = { startedAt, endedAt: Math.max(startedAt, clock.now()) }
  return { call: { ...times, messages: request.messages, result, usage, error, answers: new Map() }, failure }
}

type End = Pick<Outcome, 'reason' | 'error' | 'isTransient' | 'failedBy' | 'retryAfterSeconds'>

const ANSWERED: End = {
  reason: 'answered',
  error: null,
  isTransient: false,
  failedBy: null,
  retryAfterSeconds: null,
}

const TOO_MANY_CALLS: End = {
  ...ANSWERED,
  reason: 'failed',
  failedBy: 'model',
  error: `The model called tools in each of ${CALLS_MAX} calls, which is the limit of a try; look at the arguments of its calls`,
}

function endOf(finishReason: FinishReason | undefined, maxTokens: number): End {
  switch (finishReason) {
    case 'toolCalls':
      return { ...ANSWERED, reason: 'toolCalls' }
    case 'length':
      return {
        ...ANSWERED,
        reason: 'cutOff',
        error: `The answer was cut off at the limit of ${maxTokens.toLocaleString('en')} tokens, or at the end of the context of the model; raise "maxTokens", or shorten the prompt`,
      }
    case 'refusal':
      return { ...ANSWERED, reason: 'refused', error: 'The model, or a filter of the provider, refused to answer' }
    default:
      return ANSWERED
  }
}

function failureOf(failure: unknown): End {
  const isModelError = failure instanceof ModelError
  const waitMs = isModelError ? failure.retryAfterMs : undefined
  return {
    reason: 'failed',
    error: failure instanceof Error ? failure.message : 'The call failed',
    isTransient: isModelError && failure.kind === 'transient',
    failedBy:
      failure instanceof BudgetError ? 'budget' : isModelError && failure.isUnavailable ? 'unavailable' : 'model',
    retryAfterSeconds: waitMs === undefined ? null : Math.ceil(waitMs / 1_000),
  }
}
