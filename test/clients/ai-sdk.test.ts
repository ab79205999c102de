import * as adapters from '@ai-sdk/otel'
import { BatchSpanProcessor, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { embed, generateObject, generateText, isStepCount, jsonSchema, streamText, type Telemetry, tool } from 'ai'
import { convertArrayToReadableStream, MockEmbeddingModelV4, MockLanguageModelV4 } from 'ai/test'
import { beforeAll, expect, it, vi } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'
import { exporterTo } from './exporters.ts'
import { readOnlyTrace, type StoredSpan, type StoredTrace } from './stored-trace.ts'

const EMITTERS = ['OpenTelemetry', 'LegacyOpenTelemetry'] as const
type Emitter = (typeof EMITTERS)[number]

const CONTEXT = { sessionId: 'chat-7', userId: 'žofie', secret: 'not for telemetry' }
const SHOWN = { sessionId: true, userId: true }

/** Runs calls of the SDK in a program that exports by protobuf, and returns the one trace that they produced. */
async function traceOf(
  app: TestApp,
  emitter: Emitter,
  call: (telemetry: { functionId: string; integrations: Telemetry }) => Promise<unknown>,
  Processor: typeof BatchSpanProcessor | typeof SimpleSpanProcessor = BatchSpanProcessor,
): Promise<StoredTrace> {
  const { client, key } = await app.newWorkspace()
  const exporter = exporterTo(app, { protocol: 'http/protobuf', key })
  const provider = new TracerProvider({ spanProcessors: [new Processor({ exporter })] })
  await call({ functionId: 'forecast', integrations: integrationOf(emitter, provider) })
  await provider.forceFlush()
  await provider.shutdown()
  expect(exporter.failures).toEqual([])
  return readOnlyTrace(client)
}

function integrationOf(emitter: Emitter, provider: TracerProvider): Telemetry {
  // By its name, and so without its type: the package brings a copy of `ai` of its own, whose types do not fit those of ours.
  const Adapter = Reflect.get(adapters, String(emitter))
  return new Adapter({ tracer: provider.getTracer('ai'), runtimeContext: true, embedding: true })
}

type Used = { input: number; output: number; cacheRead?: number; reasoning?: number }

/** As version 4 of a provider reports it: totals that include the parts. */
function usageOf({ input, output, cacheRead = 0, reasoning = 0 }: Used) {
  return {
    inputTokens: { total: input, noCache: input - cacheRead, cacheRead, cacheWrite: 0 },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  }
}

const finish = (unified: 'stop' | 'tool-calls') => ({ unified, raw: unified })
const response = { id: 'answer-1', modelId: 'gpt-4o-2024-11-20', timestamp: new Date(0) }
const text = (said: string) => ({ type: 'text' as const, text: said })
const toolCall = { type: 'tool-call' as const, toolCallId: 'call-1', toolName: 'weather', input: '{"city":"Žilina"}' }

/** Calls the weather tool, then returns its result; or returns the given text. */
function chatModel() {
  return new MockLanguageModelV4({
    provider: 'openai.chat',
    modelId: 'gpt-4o',
    doGenerate: [
      {
        content: [text('Let me see'), toolCall],
        finishReason: finish('tool-calls'),
        usage: usageOf({ input: 100, output: 10 }),
        warnings: [],
        response,
      },
      {
        content: [text('Sunny. ☀️')],
        finishReason: finish('stop'),
        usage: usageOf({ input: 200, output: 20, cacheRead: 150, reasoning: 8 }),
        warnings: [],
        response,
      },
    ],
    doStream: [
      {
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] },
          { type: 'response-metadata', ...response },
          toolCall,
          { type: 'finish', usage: usageOf({ input: 40, output: 4 }), finishReason: finish('tool-calls') },
        ]),
      },
      {
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] },
          { type: 'response-metadata', ...response },
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Sun' },
          { type: 'text-delta', id: '1', delta: 'ny. ☀️' },
          { type: 'text-end', id: '1' },
          { type: 'finish', usage: usageOf({ input: 60, output: 6 }), finishReason: finish('stop') },
        ]),
      },
    ],
  })
}

const inputSchema = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } })
const weather = tool({ inputSchema, execute: async ({ city }) => ({ city, sky: 'sunny' }) })
const brokenWeather = tool({
  inputSchema,
  execute: async (): Promise<string> => {
    throw new Error('The sky has fallen')
  },
})

const TOOL_CALL = { type: 'tool_call', id: 'call-1', name: 'weather', arguments: { city: 'Žilina' } }
const TOOL_RESULT = { type: 'tool_result', id: 'call-1', result: { city: 'Žilina', sky: 'sunny' } }

function kindsOf({ spans }: StoredTrace): string[] {
  // The steps of version 7 only group; they have no attributes.
  return spans.map(({ kind }) => kind).filter((kind) => kind !== 'chain')
}

/** In the order of their start, as far as the clock distinguishes it: a second call has a longer input than the first. */
function spansOf({ spans }: StoredTrace, kind: string): StoredSpan[] {
  return spans
    .filter((span) => span.kind === kind)
    .toSorted((one, other) => (one.input?.length ?? 0) - (other.input?.length ?? 0))
}

function expectMessages(spans: StoredSpan[]): void {
  for (const { name, messages } of spans) {
    expect(messages, `the messages of ${name}`).not.toBeNull()
    expect(messages, `the messages of ${name}`).not.toEqual([])
    for (const { parts } of messages ?? []) expect(parts, `the parts of a message of ${name}`).not.toEqual([])
  }
}

function partsOf({ messages }: StoredSpan) {
  return (messages ?? []).flatMap(({ parts }) => parts)
}

describeEachEngine('the AI SDK of Vercel', (app) => {
  beforeAll(() => {
    vi.stubGlobal('AI_SDK_LOG_WARNINGS', false)
    return () => vi.unstubAllGlobals()
  })

  it.each(EMITTERS)('shows the roles of all messages when a model calls a tool: generateText, %s', async (emitter) => {
    const trace = await traceOf(app(), emitter, (telemetry) =>
      generateText({
        model: chatModel(),
        instructions: 'Be brief.',
        prompt: 'What is the weather in Žilina?',
        tools: { weather },
        stopWhen: isStepCount(3),
        runtimeContext: CONTEXT,
        telemetry: { ...telemetry, includeRuntimeContext: SHOWN },
      }),
    )
    expect(trace).toMatchObject({ name: 'forecast', status: 'ok', sessionId: 'chat-7', userId: 'žofie' })
    expect(trace.input).toContain('What is the weather in Žilina?')
    expect(trace.output).toContain('Sunny. ☀️')
    expect(kindsOf(trace).toSorted()).toEqual(['agent', 'llm', 'llm', 'tool'])
    expectMessages(trace.spans.filter(({ kind }) => kind !== 'chain'))

    const [first, second] = spansOf(trace, 'llm')
    expect(first?.messages).toMatchObject([
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'What is the weather in Žilina?' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Let me see' }, TOOL_CALL] },
    ])
    expect(second?.messages).toMatchObject([
      { role: 'system' },
      { role: 'user' },
      { role: 'assistant', parts: [{ type: 'text', text: 'Let me see' }, TOOL_CALL] },
      { role: 'tool', parts: [TOOL_RESULT] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Sunny. ☀️' }] },
    ])
    const [agent] = spansOf(trace, 'agent')
    expect(agent?.parentSpanId).toBeNull()
    expect(partsOf(agent ?? fail('agent'))).toContainEqual(expect.objectContaining(TOOL_CALL))
    const [called] = spansOf(trace, 'tool')
    expect(called).toMatchObject({ name: 'weather', input: '{"city":"Žilina"}', status: 'ok' })
    expect(JSON.parse(called?.output ?? '')).toEqual({ city: 'Žilina', sky: 'sunny' })
    expect(JSON.stringify(trace)).not.toContain('not for telemetry')
  })

  it.each(EMITTERS)('counts the tokens of every call of a model once: generateText, %s', async (emitter) => {
    const trace = await traceOf(app(), emitter, (telemetry) =>
      generateText({ model: chatModel(), prompt: 'Weather?', tools: { weather }, stopWhen: isStepCount(3), telemetry }),
    )
    const calls = spansOf(trace, 'llm')
    expect(calls).toMatchObject([
      { model: 'gpt-4o-2024-11-20', provider: 'openai', inputTokens: 100, outputTokens: 10, totalTokens: 110 },
      { model: 'gpt-4o-2024-11-20', provider: 'openai', inputTokens: 200, outputTokens: 20, totalTokens: 220 },
    ])
    expect(trace.totalTokens).toBe(330)
    // The agent reports it once more; it is shown there, but not added.
    expect(spansOf(trace, 'agent')).toMatchObject([{ model: 'gpt-4o', inputTokens: 300, outputTokens: 30 }])
    expect(trace.totalCostUsd).toBeCloseTo(sumOf(calls.map(({ costUsd }) => costUsd)), 12)
    expect(trace.totalCostUsd).toBeGreaterThan(0)
  })

  it.each(EMITTERS)('counts tokens once though each span is sent alone, all of them at once: %s', async (emitter) => {
    const ask = (telemetry: { functionId: string; integrations: Telemetry }) =>
      generateText({ model: chatModel(), prompt: 'Weather?', tools: { weather }, stopWhen: isStepCount(3), telemetry })
    const trace = await traceOf(app(), emitter, ask, SimpleSpanProcessor)
    expect(trace).toMatchObject({ name: 'forecast', totalTokens: 330 })
    expect(kindsOf(trace).toSorted()).toEqual(['agent', 'llm', 'llm', 'tool'])
  })

  it.each(EMITTERS)('shows a streamed response like one in one piece: streamText, %s', async (emitter) => {
    const trace = await traceOf(app(), emitter, async (telemetry) => {
      const { textStream } = streamText({
        model: chatModel(),
        prompt: 'What is the weather in Žilina?',
        tools: { weather },
        stopWhen: isStepCount(3),
        runtimeContext: CONTEXT,
        telemetry: { ...telemetry, includeRuntimeContext: SHOWN },
      })
      let said = ''
      for await (const delta of textStream) said += delta
      expect(said).toBe('Sunny. ☀️')
    })
    expect(trace).toMatchObject({ name: 'forecast', status: 'ok', sessionId: 'chat-7', totalTokens: 110 })
    expect(trace.output).toContain('Sunny. ☀️')
    expect(kindsOf(trace).toSorted()).toEqual(['agent', 'llm', 'llm', 'tool'])
    expectMessages(trace.spans.filter(({ kind }) => kind !== 'chain'))
    const [first, second] = spansOf(trace, 'llm')
    expect(first).toMatchObject({ model: 'gpt-4o-2024-11-20', totalTokens: 44 })
    expect(first?.messages?.at(-1)).toMatchObject({ role: 'assistant', parts: [TOOL_CALL] })
    expect(second?.messages?.slice(-2)).toMatchObject([
      { role: 'tool', parts: [TOOL_RESULT] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Sunny. ☀️' }] },
    ])
  })

  it.each(EMITTERS)('shows the generated object: generateObject, %s', async (emitter) => {
    const model = new MockLanguageModelV4({
      provider: 'openai.chat',
      modelId: 'gpt-4o',
      doGenerate: {
        content: [text('{"city":"Žilina"}')],
        finishReason: finish('stop'),
        usage: usageOf({ input: 7, output: 5 }),
        warnings: [],
        response,
      },
    })
    const trace = await traceOf(app(), emitter, (telemetry) =>
      generateObject({ model, prompt: 'Where are you?', schema: inputSchema, telemetry }),
    )
    expect(kindsOf(trace).toSorted()).toEqual(['agent', 'llm'])
    expect(trace).toMatchObject({ name: 'forecast', totalTokens: 12 })
    expectMessages(trace.spans)
    const [call] = spansOf(trace, 'llm')
    expect(call).toMatchObject({ model: 'gpt-4o-2024-11-20', inputTokens: 7, outputTokens: 5 })
    expect(call?.messages?.[0]).toMatchObject({ role: 'user', parts: [{ type: 'text', text: 'Where are you?' }] })
    expect(JSON.stringify(call?.messages?.[1])).toContain('Žilina')
  })

  it.each(EMITTERS)('shows the embedded texts as the caller sent them: embed, %s', async (emitter) => {
    const model = new MockEmbeddingModelV4({
      provider: 'openai.embedding',
      modelId: 'text-embedding-3-small',
      doEmbed: { embeddings: [[0.1, 0.2]], usage: { tokens: 9 }, warnings: [] },
    })
    const trace = await traceOf(app(), emitter, (telemetry) =>
      embed({
        model,
        value: 'say "sunny"',
        runtimeContext: CONTEXT,
        telemetry: { ...telemetry, includeRuntimeContext: SHOWN },
      }),
    )
    expect(trace).toMatchObject({ totalTokens: 9, sessionId: 'chat-7', userId: 'žofie' })
    const root = trace.spans.find(({ parentSpanId }) => parentSpanId === null)
    const call = trace.spans.find(({ parentSpanId }) => parentSpanId !== null)
    expect(call).toMatchObject({ kind: 'embedding', model: 'text-embedding-3-small', provider: 'openai' })
    expect(call?.messages?.[0]).toMatchObject({ role: 'user', parts: [{ type: 'text', text: 'say "sunny"' }] })
    expect(root?.messages?.[0]).toMatchObject({ role: 'user', parts: [{ type: 'text', text: 'say "sunny"' }] })
  })

  it.each(EMITTERS)('shows which tool failed, and why, though the model still answers: %s', async (emitter) => {
    const trace = await traceOf(app(), emitter, (telemetry) =>
      generateText({
        model: chatModel(),
        prompt: 'Weather?',
        tools: { weather: brokenWeather },
        stopWhen: isStepCount(3),
        telemetry,
      }),
    )
    expect(spansOf(trace, 'tool')).toMatchObject([{ status: 'error', statusMessage: 'The sky has fallen' }])
    expect(spansOf(trace, 'llm')).toMatchObject([{ status: 'ok' }, { status: 'ok' }])
  })

  it.each(EMITTERS)('shows a call of a model that failed as an error: %s', async (emitter) => {
    const model = new MockLanguageModelV4({
      provider: 'openai.chat',
      modelId: 'gpt-4o',
      doGenerate: async () => {
        throw new Error('The model is on strike')
      },
    })
    const trace = await traceOf(app(), emitter, (telemetry) =>
      expect(generateText({ model, prompt: 'Weather?', maxRetries: 0, telemetry })).rejects.toThrow('on strike'),
    )
    expect(trace).toMatchObject({ name: 'forecast', status: 'error' })
    expect(trace.input).toContain('Weather?')
    expect(spansOf(trace, 'agent')).toMatchObject([{ status: 'error', statusMessage: 'The model is on strike' }])
  })
})

function sumOf(numbers: (number | null)[]): number {
  return numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0)
}

function fail(missing: string): never {
  throw new Error(`there is no span of the kind ${missing}`)
}
