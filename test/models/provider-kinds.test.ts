/** Errors, limits, the guard and the key hold for every kind of provider. */
import { afterEach, describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress-guard.ts'
import { PROVIDER_KINDS, type ProviderKind } from '../../src/llm/chat.ts'
import { createHostLimits, limitedModelClient } from '../../src/llm/host-limits.ts'
import { listModels } from '../../src/llm/list-models.ts'
import { UNKNOWN_USAGE } from '../../src/llm/model-client.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { until } from '../harness/wait-for.ts'
import { OVERLOADED, RECORDED } from './recorded-answers.ts'
import { API_KEY, clientOf, errorOf, eventsOf, QUESTION, startModelClient } from './start-model-client.ts'

const HELLO = { messages: [{ role: 'user' as const, content: 'Hello' }] }

function start(kind: ProviderKind) {
  return startModelClient({ server: { kind }, connection: { kind, models: ['judge-1', 'text-embed-1'] } })
}

/** The error of each provider for a status. */
function errorFor(kind: ProviderKind, status: number, message: string): Record<string, unknown> {
  if (kind === 'gemini') return { code: status, message, status: 'SOME_STATUS' }
  return { type: 'invalid_request_error', message, ...(kind === 'openai' && { code: null, param: null }) }
}

type Failure = [how: Misbehaviour, kind: 'transient' | 'permanent', message: string]

const failures = (kind: ProviderKind): Record<string, Failure> => ({
  '400': [
    { status: 400, error: errorFor(kind, 400, 'No such field') },
    'permanent',
    'my-openai returned 400: it rejected the request; its message: No such field',
  ],
  '401': [
    { status: 401, error: errorFor(kind, 401, `Invalid key ${API_KEY}`) },
    'permanent',
    'my-openai returned 401: it does not accept the key of this connection',
  ],
  '403': [
    { status: 403, error: errorFor(kind, 403, 'No') },
    'permanent',
    'my-openai returned 403: the key of this connection is not allowed to do this',
  ],
  '404': [
    { status: 404, error: errorFor(kind, 404, 'No such model') },
    'permanent',
    'my-openai returned 404: it has no model judge-1, or its base URL is wrong; its message: No such model',
  ],
  'a key in the message': [
    { status: 400, error: errorFor(kind, 400, `The key ${API_KEY} is no good`) },
    'permanent',
    'my-openai returned 400: it rejected the request; its message: The key … is no good',
  ],
  '429': [
    { status: 429, headers: { 'retry-after': '7' }, error: errorFor(kind, 429, 'Slow down') },
    'transient',
    'my-openai returned 429 (rate limit); it asks to wait 7 s',
  ],
  '500': [{ status: 500, error: errorFor(kind, 500, 'Oops') }, 'transient', 'my-openai returned 500 (internal error)'],
  overload: [
    OVERLOADED[kind],
    'transient',
    `my-openai returned ${kind === 'anthropic' ? '529 (overloaded)' : '503 (unavailable)'}`,
  ],
  'malformed JSON': ['invalid JSON', 'transient', 'my-openai returned invalid JSON'],
  'a web page': ['HTML', 'permanent', 'my-openai returned a web page instead of an API response; check its base URL'],
  'a dropped connection': ['reset', 'transient', 'my-openai could not be reached: the connection was reset'],
  'a connection that breaks off in the body': [
    'reset in the body',
    'transient',
    'my-openai could not be reached: the connection was reset',
  ],
  'a long prompt': [
    {
      status: 400,
      error: errorFor(
        kind,
        400,
        {
          openai: "This model's maximum context length is 8192 tokens.",
          anthropic: 'prompt is too long: 210000 tokens > 200000 maximum',
          gemini: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        }[kind],
      ),
    },
    'permanent',
    'my-openai returned 400: the text is too long for the model judge-1',
  ],
  'an empty answer': [{ body: '{}' }, 'transient', 'The answer of judge-1 of my-openai cannot be used: it is empty'],
})

describe.each(PROVIDER_KINDS)('%s', (kind) => {
  it.each(Object.entries(failures(kind)))('%s is an error of the right kind', async (_, [how, type, message]) => {
    const { server, client } = await start(kind)
    server.misbehave(how, 2)
    for (const asked of [client.chat(HELLO), client.complete(QUESTION)]) {
      expect(await errorOf(asked)).toMatchObject({ kind: type, message })
    }
    expect(server.requests).toHaveLength(2)
  })

  it('a call that was sent and got no answer counts at its maximum, one that was rejected does not count', async () => {
    const { server, client } = await start(kind)
    server.misbehave('reset')
    expect((await errorOf(client.chat(HELLO))).usage).toEqual(UNKNOWN_USAGE)
    server.misbehave({ status: 500 })
    expect((await errorOf(client.chat(HELLO))).usage).toBeUndefined()
  })

  it('a judge gets a verdict that fits its schema, and the seed only where there is one', async () => {
    const { server, client } = await start(kind)
    const { value, model, usage } = await client.complete({ ...QUESTION, seed: 3 })
    expect(value).toEqual({ reason: expect.any(String), score: expect.any(Number) })
    expect(model).toBe('judge-1')
    expect(usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) })
    const [request] = server.requests
    expect(request).toMatchObject({ user: QUESTION.user, system: expect.stringContaining('JSON Schema') })
    expect(JSON.stringify(request?.body).includes('"seed":3')).toBe(kind !== 'anthropic')
  })

  it.each(['refusal', 'cut off'] as const)(
    'the verdict of a judge that is a %s is an error with its usage',
    async (name) => {
      const { server, client } = await start(kind)
      const { body, result } = RECORDED[kind][name]
      server.misbehave({ body: JSON.stringify(body) })
      expect(await errorOf(client.complete(QUESTION))).toMatchObject({
        kind: name === 'refusal' ? 'permanent' : 'transient',
        message: expect.stringMatching(name === 'refusal' ? /refused to answer$/ : /it was cut off$/),
        usage: result.usage,
      })
    },
  )

  it('a forbidden address is not called', async () => {
    const { server } = await start(kind)
    const egress = createEgress({ allowed: [] })
    const client = clientOf(server.baseUrl, { client: { egress }, connection: { kind } })
    const streamed = eventsOf(client.stream(HELLO))
    for (const asked of [client.chat(HELLO), streamed, client.complete(QUESTION)]) {
      expect(await errorOf(asked)).toMatchObject({
        kind: 'permanent',
        message: expect.stringMatching(/^my-openai was not called: The host 127\.0\.0\.1 is not on the public/),
      })
    }
    const connection = { name: 'c', kind, baseUrl: server.baseUrl, apiKey: API_KEY }
    await errorOf(listModels({ connection, egress, now: 0, timeoutMs: 5_000 }))
    expect(server.requests).toHaveLength(0)
  })

  it('a stream has its turn until it ends, and its Retry-After holds for the connection', async () => {
    const { server, client: unlimited } = await start(kind)
    const hostLimits = createHostLimits({ clock: { now: () => Date.now() } })
    const { signal } = new AbortController()
    const limits = { concurrency: 1, requestsPerMinute: null }
    const turn = { connection: 'c', host: 'h', owner: 'o', limits, signal }
    const client = limitedModelClient(unlimited, hostLimits, turn)
    const { events } = RECORDED[kind].text
    server.misbehave({ pieces: [events.slice(0, -4)], end: 'hang' })
    server.misbehave({ status: 429, headers: { 'retry-after': '500' } })
    const stream = client.stream(HELLO)[Symbol.asyncIterator]()
    await stream.next()
    const second = errorOf(eventsOf(client.stream(HELLO)))
    const stop = new AbortController()
    const stopped = errorOf(client.chat({ ...HELLO, signal: stop.signal }))
    stop.abort()
    expect(await stopped).toMatchObject({ message: 'The work was stopped before the model was called' })
    expect(server.requests).toHaveLength(1)
    await stream.return?.()
    expect(await second).toMatchObject({ retryAfterMs: 500_000 })
    const later = new AbortController()
    const waiting = errorOf(eventsOf(client.stream({ ...HELLO, signal: later.signal })))
    later.abort()
    expect(await waiting).toMatchObject({ message: 'The work was stopped before the model was called' })
    expect(server.requests).toHaveLength(2)
    await until(() => expect(server.socketsOpen).toBeLessThanOrEqual(1))
  })
})

describe('Gemini', () => {
  it('names the time to wait in a detail of the error', async () => {
    const { server, client } = await start('gemini')
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '33.5s' },
    ]
    server.misbehave({ status: 429, error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED', details } })
    expect(await errorOf(client.chat(HELLO))).toMatchObject({ kind: 'transient', retryAfterMs: 33_500 })
  })

  it('reports a wrong key with status 400', async () => {
    const { server, client } = await start('gemini')
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    server.misbehave({ status: 400, error: { code: 400, message: 'API key not valid.', details } })
    expect((await errorOf(client.chat(HELLO))).message).toBe(
      'my-openai returned 400: it does not accept the key of this connection',
    )
  })

  it('does not answer a prompt that is blocked, which is a refusal', async () => {
    const { server, client } = await start('gemini')
    const usageMetadata = { promptTokenCount: 4, totalTokenCount: 4 }
    server.misbehave({ body: JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata }) })
    expect(await client.chat(HELLO)).toMatchObject({
      finishReason: 'refusal',
      text: '',
      usage: { inputTokens: 4, outputTokens: 0 },
    })
  })

  it('has embeddings, in the order of the texts', async () => {
    const { server, client } = await start('gemini')
    const { vectors, model, usage } = await client.embed({ texts: ['ab', 'b'] })
    expect(vectors.map((vector) => vector.slice(0, 3))).toEqual([
      [1, 1, 0],
      [0, 1, 0],
    ])
    expect({ model, usage }).toEqual({ model: 'text-embed-1', usage: UNKNOWN_USAGE })
    expect(server.requests).toMatchObject([
      {
        path: '/v1beta/models/text-embed-1:batchEmbedContents',
        body: { requests: [{ model: 'models/text-embed-1', content: { parts: [{ text: 'ab' }] } }, {}] },
      },
    ])
  })
})

it('Anthropic has no embeddings, which is an error before anything is sent', async () => {
  const { server, client } = await start('anthropic')
  expect(await errorOf(client.embed({ texts: ['a'] }))).toMatchObject({
    kind: 'permanent',
    message: 'my-openai was not called: connections of kind anthropic have no embeddings; use one of another kind',
    usage: undefined,
  })
  expect(server.requests).toHaveLength(0)
})

describe('the list of models', () => {
  let server: ModelServer
  afterEach(() => server.close())

  it.each<[ProviderKind, string, Record<string, string>]>([
    ['openai', '/v1/models', { authorization: `Bearer ${API_KEY}` }],
    ['anthropic', '/v1/models?limit=1000', { 'x-api-key': API_KEY, 'anthropic-version': '2023-06-01' }],
    ['gemini', '/v1beta/models?pageSize=1000', { 'x-goog-api-key': API_KEY }],
  ])('of %s is requested with the key in its header', async (kind, path, headers) => {
    server = await startModelServer({ kind })
    const connection = { name: 'c', kind, baseUrl: server.baseUrl, apiKey: API_KEY }
    const egress = createEgress({ allowed: ['127.0.0.1'] })
    const list = () => listModels({ connection, egress, now: 0, timeoutMs: 5_000 })
    expect(await list()).toEqual(['judge-1'])
    expect(server.requests).toMatchObject([{ method: 'GET', path, headers }])
    server.misbehave({ body: '{"data":{},"models":{}}' })
    expect((await errorOf(list())).message).toBe('c did not return a list of models')
  })

  it('of Gemini begins with the chat models and has no models for other purposes', async () => {
    server = await startModelServer({ kind: 'gemini' })
    const model = (name: string, ...methods: string[]) => ({
      name: `models/${name}`,
      supportedGenerationMethods: methods,
    })
    const models = [
      model('text-embed-1', 'embedContent'),
      model('gemini-3-flash', 'generateContent', 'countTokens'),
      model('imagen-4', 'predict'),
      model('gemini-3-pro', 'generateContent'),
    ]
    server.misbehave({ body: JSON.stringify({ models }) })
    const connection = { name: 'c', kind: 'gemini' as const, baseUrl: server.baseUrl, apiKey: undefined }
    const egress = createEgress({ allowed: ['127.0.0.1'] })
    expect(await listModels({ connection, egress, now: 0, timeoutMs: 5_000 })).toEqual([
      'gemini-3-flash',
      'gemini-3-pro',
      'text-embed-1',
    ])
  })
})

it.each(PROVIDER_KINDS)('the key is in no error of a stream of %s that repeats it', async (kind) => {
  const { server, client } = await start(kind)
  const error = { type: 'invalid_request_error', code: 400, message: `Key ${API_KEY}` }
  server.misbehave({ pieces: [`data: ${JSON.stringify({ type: 'error', error })}\n\n`] })
  expect((await errorOf(eventsOf(client.stream(HELLO)))).message).toBe(
    'my-openai returned 400: it rejected the request; its message: Key …',
  )
})
