/** The answers of each provider in its documented form, whole and as the events of a stream, and what the client makes of them. */
import type { ChatResult, ProviderKind } from '../../src/llm/chat.ts'
import { UNKNOWN_USAGE } from '../../src/llm/model-client.ts'

export type RecordedAnswer = { body: unknown; events: string; result: ChatResult }
export type AnswerName = 'text' | 'tool call' | 'refusal' | 'cut off'

const TEXT = 'Grüße, “world” 👋'
const CALL = { id: 'call_7', name: 'find_invoice', arguments: '{"number":"A-12","year":2026}' }
const TWO_CALLS = [CALL, { id: 'call_8', name: 'today', arguments: '{}' }]

/** The result of each answer, which is the same for all providers except for the usage. */
function results(model: string, usage: Partial<ChatResult['usage']>): Record<AnswerName, ChatResult> {
  const common = { model, usage: { ...UNKNOWN_USAGE, ...usage } }
  return {
    text: { ...common, text: TEXT, toolCalls: [], finishReason: 'stop' },
    'tool call': { ...common, text: 'I look.', toolCalls: TWO_CALLS, finishReason: 'toolCalls' },
    refusal: { ...common, text: 'I cannot help with that.', toolCalls: [], finishReason: 'refusal' },
    'cut off': { ...common, text: 'Once upon', toolCalls: [], finishReason: 'length' },
  }
}

function sse(events: readonly unknown[], { names = false, last = '' } = {}): string {
  const lines = events.map((event) => {
    const { type } = Object(event)
    return `${names ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`
  })
  return lines.join('') + last
}

const OPENAI_USAGE = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 0 },
}
const OPENAI_RESULTS = results('gpt-5-mini-2026-08-07', {
  inputTokens: 20,
  outputTokens: 9,
  cachedTokens: 8,
  reasoningTokens: 4,
})

function openaiAnswer(name: AnswerName, message: unknown, finish: string, deltas: readonly unknown[]): RecordedAnswer {
  const head = { id: 'chatcmpl-9', created: 1_790_000_000, model: 'gpt-5-mini-2026-08-07' }
  const chunk = (delta: unknown, finish_reason: string | null) => {
    return { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], usage: null }
  }
  const chunks = [
    chunk({ role: 'assistant', content: '', refusal: null }, null),
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish),
    { ...head, object: 'chat.completion.chunk', choices: [], usage: OPENAI_USAGE },
  ]
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }]
  return {
    body: { ...head, object: 'chat.completion', choices, usage: OPENAI_USAGE, service_tier: 'default' },
    events: sse(chunks, { last: 'data: [DONE]\n\n' }),
    result: OPENAI_RESULTS[name],
  }
}

const openaiCall = ({ id, name, arguments: args }: typeof CALL) => {
  return { id, type: 'function', function: { name, arguments: args } }
}
const openaiPiece = (index: number, args: string) => ({ tool_calls: [{ index, function: { arguments: args } }] })

const OPENAI: Record<AnswerName, RecordedAnswer> = {
  text: openaiAnswer('text', { role: 'assistant', content: TEXT, refusal: null, annotations: [] }, 'stop', [
    { content: 'Grüße, ' },
    { content: '“world”' },
    { content: ' 👋' },
  ]),
  'tool call': openaiAnswer(
    'tool call',
    { role: 'assistant', content: 'I look.', tool_calls: TWO_CALLS.map(openaiCall), refusal: null },
    'tool_calls',
    [
      { content: 'I look.' },
      { tool_calls: [{ index: 0, ...openaiCall({ ...CALL, arguments: '' }) }] },
      openaiPiece(0, '{"number":"A-'),
      openaiPiece(0, '12","year":2026}'),
      { tool_calls: [{ index: 1, ...openaiCall({ id: 'call_8', name: 'today', arguments: '{}' }) }] },
    ],
  ),
  refusal: openaiAnswer('refusal', { role: 'assistant', content: null, refusal: 'I cannot help with that.' }, 'stop', [
    { refusal: 'I cannot help' },
    { refusal: ' with that.' },
  ]),
  'cut off': openaiAnswer('cut off', { role: 'assistant', content: 'Once upon', refusal: null }, 'length', [
    { content: 'Once' },
    { content: ' upon' },
  ]),
}

const ANTHROPIC_RESULTS = results('claude-sonnet-5-20260901', {
  inputTokens: 20,
  outputTokens: 9,
  cachedTokens: 8,
  cacheWriteTokens: 2,
  reasoningTokens: 4,
})

type Block = { start: Record<string, unknown>; deltas: unknown[]; whole: Record<string, unknown> }

function anthropicAnswer(name: AnswerName, blocks: readonly Block[], stop_reason: string): RecordedAnswer {
  const head = { id: 'msg_9', type: 'message', role: 'assistant', model: 'claude-sonnet-5-20260901' }
  const input = { input_tokens: 10, cache_creation_input_tokens: 2, cache_read_input_tokens: 8 }
  const output = { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } }
  const begun = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...input, output_tokens: 1 } }
  const events = [
    { type: 'message_start', message: begun },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: output },
    { type: 'message_stop' },
  ]
  return {
    body: {
      ...head,
      content: blocks.map(({ whole }) => whole),
      stop_reason,
      stop_sequence: null,
      usage: { ...input, ...output },
    },
    events: sse(events, { names: true }),
    result: ANTHROPIC_RESULTS[name],
  }
}

const textBlock = (...pieces: string[]): Block => ({
  start: { type: 'text', text: '' },
  deltas: pieces.map((text) => ({ type: 'text_delta', text })),
  whole: { type: 'text', text: pieces.join('') },
})
const toolBlock = ({ id, name, arguments: args }: typeof CALL, ...pieces: string[]): Block => ({
  start: { type: 'tool_use', id, name, input: {} },
  deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  whole: { type: 'tool_use', id, name, input: JSON.parse(args) },
})

const ANTHROPIC: Record<AnswerName, RecordedAnswer> = {
  text: anthropicAnswer('text', [textBlock('Grüße, ', '“world”', ' 👋')], 'end_turn'),
  'tool call': anthropicAnswer(
    'tool call',
    [
      textBlock('I look.'),
      toolBlock(CALL, '', '{"number":"A-', '12","year":2026}'),
      toolBlock({ id: 'call_8', name: 'today', arguments: '{}' }, ''),
    ],
    'tool_use',
  ),
  refusal: anthropicAnswer('refusal', [textBlock('I cannot help', ' with that.')], 'refusal'),
  'cut off': anthropicAnswer('cut off', [textBlock('Once', ' upon')], 'max_tokens'),
}

const GEMINI_USAGE = {
  promptTokenCount: 20,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 4,
  cachedContentTokenCount: 8,
  totalTokenCount: 29,
}
const GEMINI_RESULTS = results('gemini-3-flash', {
  inputTokens: 20,
  outputTokens: 9,
  cachedTokens: 8,
  reasoningTokens: 4,
})

/** The pieces are lists of parts. */
function geminiAnswer(name: AnswerName, finishReason: string, ...pieces: unknown[][]): RecordedAnswer {
  const head = { modelVersion: 'gemini-3-flash', responseId: 'r9' }
  const candidate = (parts: unknown[]) => ({ content: { parts, role: 'model' }, index: 0 })
  const { candidatesTokenCount: _, ...early } = GEMINI_USAGE
  const chunks = pieces.map((parts, place) => {
    const isLast = place === pieces.length - 1
    const candidates = [{ ...candidate(parts), ...(isLast && { finishReason }) }]
    return { candidates, usageMetadata: isLast ? GEMINI_USAGE : early, ...head }
  })
  return {
    body: { candidates: [{ ...candidate(pieces.flat()), finishReason }], usageMetadata: GEMINI_USAGE, ...head },
    // Gemini ends lines with CRLF.
    events: sse(chunks).replaceAll('\n', '\r\n'),
    result: GEMINI_RESULTS[name],
  }
}

const GEMINI: Record<AnswerName, RecordedAnswer> = {
  text: geminiAnswer(
    'text',
    'STOP',
    [{ text: 'The user greets.', thought: true }, { text: 'Grüße, ' }],
    [{ text: '“world”' }],
    [{ text: ' 👋' }],
  ),
  'tool call': geminiAnswer(
    'tool call',
    'STOP',
    [{ text: 'I look.' }],
    [
      { functionCall: { id: 'call_7', name: 'find_invoice', args: { number: 'A-12', year: 2026 } } },
      { functionCall: { id: 'call_8', name: 'today' } },
    ],
  ),
  refusal: geminiAnswer('refusal', 'PROHIBITED_CONTENT', [{ text: 'I cannot help' }], [{ text: ' with that.' }]),
  'cut off': geminiAnswer('cut off', 'MAX_TOKENS', [{ text: 'Once' }], [{ text: ' upon' }]),
}

export const RECORDED: Record<ProviderKind, Record<AnswerName, RecordedAnswer>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
}

/** What each provider sends while it is overloaded, also in the middle of a stream. */
export const OVERLOADED: Record<ProviderKind, { status: number; error: Record<string, unknown> }> = {
  openai: { status: 503, error: { message: 'The engine is overloaded', type: 'server_error', code: null } },
  anthropic: { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } },
  gemini: { status: 503, error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
}
