/** A try of a prompt, or a call of a trial or an experiment, as a trace: a root, the calls of the model, and the calls of tools that recorded answers have answered. */
import { timestamp } from '../base/clock.ts'
import type { Trace } from '../ingestion/native-trace.ts'
import type { ChatMessage, ChatRequest, FinishReason, ToolCall } from '../llm/chat.ts'
import type { PreparedTry } from './prepare-try.ts'
import type { Outcome, TriedCall } from './run-try.ts'

const PLAYGROUND: TracedWork = { source: 'playground' }

type Span = NonNullable<Trace['spans']>[number]

/** What sent the calls, and where its trace belongs. */
export type TracedWork = {
  source: 'playground' | 'trial' | 'experiment'
  /** The id of the run that the trace is a result of. */
  run?: string | undefined
  /** Further attributes of the root. */
  metadata?: Record<string, unknown>
}

export function tryTrace(
  prepared: PreparedTry,
  outcome: Outcome,
  traceId: string,
  work: TracedWork = PLAYGROUND,
): Trace {
  const { source, run } = work
  const { name, values, version, itemId } = prepared
  const { calls, error, text, openCalls } = outcome
  const [first, last] = [calls[0], calls.at(-1)]
  const isFailed = outcome.reason === 'failed'
  return {
    traceId,
    name: `${source} ${name}`,
    kind: 'chain',
    tags: [source],
    ...(run !== undefined && { run, ...(itemId !== undefined && { itemId }) }),
    ...(first && { startTime: timestamp(first.startedAt) }),
    ...(last && { endTime: timestamp(last.endedAt) }),
    status: isFailed ? 'error' : 'ok',
    ...(isFailed && error !== null && { statusMessage: error }),
    input: Object.keys(values).length > 0 ? values : prepared.request.messages.map(openAiMessage),
    output: openCalls.length > 0 ? openCalls : text,
    metadata: {
      ...sourceOf(work, version),
      ...(itemId !== undefined && { [`touchstone.${source}.item`]: itemId }),
      ...(prepared.promptLength < prepared.request.messages.length && { [`touchstone.${source}.continued`]: true }),
      ...work.metadata,
    },
    spans: calls.flatMap((call, place) => [
      { spanId: `call ${place}`, ...modelSpan(prepared, call, work) },
      ...toolSpans(call, work),
    ]),
  }
}

/** The names of the convention. */
const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  toolCalls: 'tool_calls',
  refusal: 'content_filter',
  other: 'other',
}

function sourceOf({ source }: TracedWork, version: string | undefined) {
  return { 'touchstone.source': source, ...(version !== undefined && { 'touchstone.prompt': version }) }
}

function modelSpan({ provider, source, request, version }: PreparedTry, call: TriedCall, work: TracedWork): Span {
  const { result, usage, error } = call
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = result.usage ?? {}
  const { maxTokens, other = {}, ...parameters }: NonNullable<ChatRequest['parameters']> = request.parameters
  return {
    name: `chat ${request.model}`,
    kind: 'llm',
    startTime: timestamp(call.startedAt),
    endTime: timestamp(call.endedAt),
    status: error === undefined ? 'ok' : 'error',
    ...(error !== undefined && { statusMessage: error }),
    input: call.messages.map(openAiMessage),
    output: [openAiMessage({ role: 'assistant', content: result.text, toolCalls: result.toolCalls })],
    model: request.model,
    provider: source.connection.kind,
    ...(typeof inputTokens === 'number' && { inputTokens }),
    ...(typeof outputTokens === 'number' && { outputTokens }),
    ...(usage.costUsd !== null && usage.calls > 0 && { costUsd: usage.costUsd }),
    modelParameters: { ...present({ ...parameters, max_tokens: maxTokens }), ...other },
    metadata: {
      ...sourceOf(work, version),
      [`touchstone.${work.source}.connection`]: provider,
      'gen_ai.response.model': result.model,
      ...(usage.isCostMaximum && {
        [`touchstone.${work.source}.cost`]: 'the maximum, because the provider did not report what was used',
      }),
      ...(usage.costBasis !== null && { [`touchstone.${work.source}.price`]: usage.costBasis }),
      ...present({
        'gen_ai.usage.cache_read.input_tokens': cachedTokens,
        'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
        'gen_ai.usage.reasoning.output_tokens': reasoningTokens,
        'gen_ai.response.finish_reasons': result.finishReason && [FINISH_REASONS[result.finishReason]],
        'gen_ai.tool.definitions': request.tools && JSON.stringify(request.tools),
        'gen_ai.output.type': request.responseFormat && 'json',
      }),
    },
  }
}

/** The recorded answers, at the end of the call that asked for them. */
function toolSpans({ endedAt, result, answers }: TriedCall, { source }: TracedWork): Span[] {
  return result.toolCalls.flatMap(({ id, name, arguments: input }) => {
    const output = answers.get(id)
    if (output === undefined) return []
    const at = timestamp(endedAt)
    const metadata = { 'touchstone.source': source, [`touchstone.${source}.answer`]: 'recorded' }
    return { name, kind: 'tool' as const, startTime: at, endTime: at, status: 'ok' as const, input, output, metadata }
  })
}

/** In the form of OpenAI, which all views of traces know. */
function openAiMessage(message: ChatMessage): Record<string, unknown> {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  const { role, content } = message
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return { role, content, ...(calls.length > 0 && { tool_calls: calls.map(openAiCall) }) }
}

function openAiCall({ id, ...called }: ToolCall): Record<string, unknown> {
  return { id, type: 'function', function: called }
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}
