import { describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress-guard.ts'
import { UNKNOWN_USAGE } from '../../src/llm/model-client.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import type { Unknown } from '../harness/model-server.ts'
import { API_KEY, clientOf, errorOf, QUESTION, startModelClient } from './start-model-client.ts'

describe('a question', () => {
  it('is sent once, with the key, without tools, and returns a value that matches the schema', async () => {
    const { server, client } = await startModelClient({ server: { answer: () => ({ reason: 'right', score: 4 }) } })
    expect(await client.complete({ ...QUESTION, seed: 7 })).toEqual({
      value: { reason: 'right', score: 4 },
      model: 'judge-1',
      usage: { ...UNKNOWN_USAGE, inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    })
    expect(server.requests).toHaveLength(1)
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/v1/chat/completions', user: QUESTION.user })
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${API_KEY}`, 'accept-encoding': 'identity' })
    expect(request?.body).toEqual({
      model: 'judge-1',
      messages: [
        { role: 'system', content: expect.stringMatching(/^Judge the field "output"\.\n\n.*JSON Schema: \{.*\}$/) },
        { role: 'user', content: QUESTION.user },
      ],
      response_format: { type: 'json_schema', json_schema: { ...QUESTION.schema, strict: true } },
      temperature: 0,
      seed: 7,
    })
  })

  it('sends the requested model and temperature, and no key if there is none', async () => {
    const { server, client } = await startModelClient({ connection: { apiKey: undefined } })
    const answer = await client.complete({ ...QUESTION, model: 'judge-2', temperature: 0.7 })
    expect(answer.model).toBe('judge-2')
    expect(server.requests[0]?.body).toMatchObject({ model: 'judge-2', temperature: 0.7 })
    expect(server.requests[0]?.body).not.toHaveProperty('seed')
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it('goes to the same place whether or not the base URL ends in a slash', async () => {
    const { server } = await startModelClient()
    await clientOf(`${server.baseUrl}//`).complete(QUESTION)
    expect(server.requests[0]?.path).toBe('/v1/chat/completions')
  })

  it('keeps the query of the base URL, in which some providers expect a version', async () => {
    const { server } = await startModelClient()
    await clientOf(`${server.baseUrl}/?api-version=2026-01-01`).complete(QUESTION)
    expect(server.requests[0]?.path).toBe('/v1/chat/completions?api-version=2026-01-01')
  })

  it('without a model is rejected before anything is sent', async () => {
    const { server, client } = await startModelClient({ connection: { models: [] } })
    const error = await errorOf(client.complete(QUESTION))
    expect(error).toMatchObject({ kind: 'permanent', message: 'No model is specified, and my-openai lists none' })
    expect(server.requests).toHaveLength(0)
  })
})

describe('an answer', () => {
  const fine = { reason: 'right', score: 4 }
  const json = JSON.stringify(fine)
  const contents: Record<string, unknown> = {
    plain: json,
    'with space around': `\n ${json}\n\n`,
    'in a fence': `\`\`\`json\n${json}\n\`\`\``,
    'in a fence without a language': `\`\`\`\n${json}\n\`\`\``,
    'in a fence of one line': `\`\`\` ${json} \`\`\``,
    'after thoughts': `<think>It might be {"score": 1} … </think> or not</think>\n${json}`,
    'in parts': [
      { type: 'text', text: json.slice(0, 9) },
      { type: 'text', text: json.slice(9) },
    ],
  }
  it.each(Object.keys(contents))('%s is understood', async (form) => {
    const { server, client } = await startModelClient()
    server.misbehave({ content: contents[form] })
    expect((await client.complete(QUESTION)).value).toEqual(fine)
  })

  it('without token counts, or with invalid ones, has an unknown usage', async () => {
    const { server, client } = await startModelClient()
    server.misbehave({ content: json })
    expect((await client.complete(QUESTION)).usage).toEqual(UNKNOWN_USAGE)
    const usage = { prompt_tokens: -3, completion_tokens: 1.5 }
    server.misbehave({ body: JSON.stringify({ choices: [{ message: { content: json } }], usage }) })
    expect((await client.complete(QUESTION)).usage).toEqual(UNKNOWN_USAGE)
  })

  it('with additional fields is accepted without them', async () => {
    const content = '{"thoughts": ["long"], "reason": "fine", "score": 5, "confidence": 0.9}'
    const { server, client } = await startModelClient()
    server.misbehave({ content })
    expect((await client.complete(QUESTION)).value).toEqual({ reason: 'fine', score: 5 })
    expect(server.requests).toHaveLength(1)
  })

  it('of the right form is taken even if its content type is wrong', async () => {
    const { server, client } = await startModelClient()
    server.misbehave({ body: JSON.stringify({ choices: [{ message: { content: json } }] }), type: 'text/plain' })
    expect((await client.complete(QUESTION)).value).toEqual(fine)
  })
})

describe('a provider that does not know everything', () => {
  const cases: { unknown: Unknown[]; formats: (string | undefined)[] }[] = [
    { unknown: ['json_schema'], formats: ['json_schema', 'json_object'] },
    { unknown: ['json_schema', 'json_object'], formats: ['json_schema', 'json_object', undefined] },
    { unknown: ['temperature'], formats: ['json_schema', 'json_schema'] },
    {
      unknown: ['temperature', 'seed', 'json_schema'],
      formats: ['json_schema', 'json_schema', 'json_schema', 'json_object'],
    },
  ]
  it.each(cases)('gets requests in a supported format, from the second one on at once: $unknown', async (one) => {
    const { server, client } = await startModelClient({ server: { unknown: one.unknown } })
    await client.complete({ ...QUESTION, seed: 1 })
    expect(server.requests.map(({ format }) => format)).toEqual(one.formats)
    await client.complete({ ...QUESTION, seed: 1 })
    expect(server.requests).toHaveLength(one.formats.length + 1)
    const last = server.requests.at(-1)
    expect(last?.format).toBe(one.formats.at(-1))
    expect(last?.system).toContain('JSON Schema')
    for (const name of one.unknown) expect(last?.body).not.toHaveProperty(name)
  })

  it.each<{ unknown: Unknown[]; limit: Record<string, number> }>([
    { unknown: [], limit: { max_completion_tokens: 50 } },
    { unknown: ['max_completion_tokens'], limit: { max_tokens: 50 } },
    { unknown: ['max_completion_tokens', 'max_tokens'], limit: {} },
  ])('gets the limit of tokens in a supported parameter: $limit', async ({ unknown, limit }) => {
    const { server, client } = await startModelClient({ server: { unknown } })
    await client.complete({ ...QUESTION, answerTokensMax: 50 })
    expect(server.requests).toHaveLength(unknown.length + 1)
    const { max_completion_tokens, max_tokens } = server.requests.at(-1)?.body ?? {}
    const sent = { max_completion_tokens, max_tokens }
    expect(sent).toEqual({ max_completion_tokens: undefined, max_tokens: undefined, ...limit })
  })

  it('gets requests in a format per model: one with less support does not affect the others', async () => {
    const misbehaviour = (request: {
      body: Record<string, unknown>
      format: string | undefined
    }): Misbehaviour | undefined =>
      request.body.model === 'old' && request.format
        ? { status: 422, error: { message: 'response_format: extra inputs' } }
        : undefined
    const { server, client } = await startModelClient({ server: { misbehaviour } })
    await client.complete({ ...QUESTION, model: 'old' })
    await client.complete(QUESTION)
    expect(server.requests.map(({ format }) => format)).toEqual([
      'json_schema',
      'json_object',
      undefined,
      'json_schema',
    ])
  })

  it('never omits a configured temperature silently', async () => {
    const { server, client } = await startModelClient({ server: { unknown: ['temperature'] } })
    const error = await errorOf(client.complete({ ...QUESTION, temperature: 0.5 }))
    expect(error.kind).toBe('permanent')
    expect(error.message).toBe(
      'my-openai returned 400: it rejected the request; its message: Unsupported parameter: temperature',
    )
    expect(server.requests).toHaveLength(1)
  })

  it('that rejects every response format gets three requests and no more', async () => {
    const rejection: Misbehaviour = { status: 400, error: { message: 'response_format is not supported' } }
    const { server, client } = await startModelClient({ server: { misbehaviour: () => rejection } })
    expect((await errorOf(client.complete(QUESTION))).kind).toBe('permanent')
    expect(server.requests).toHaveLength(3)
  })
})

describe('vectors', () => {
  it('are in the order of the texts, from the embedding model', async () => {
    const { server, client } = await startModelClient()
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0.5] },
    ]
    server.misbehave({ body: JSON.stringify({ data, model: 'text-embed-1', usage: { prompt_tokens: 3 } }) })
    expect(await client.embed({ texts: ['a', 'b'] })).toEqual({
      vectors: [
        [1, 0.5],
        [0, 1],
      ],
      model: 'text-embed-1',
      usage: { ...UNKNOWN_USAGE, inputTokens: 3, outputTokens: 0 },
    })
    expect(server.requests[0]?.body).toEqual({ model: 'text-embed-1', input: ['a', 'b'] })
  })

  it.each([
    ['too few', { data: [{ index: 0, embedding: [1] }] }, 'it does not have 2 vectors'],
    ['none', {}, 'it does not have 2 vectors'],
    ['one twice', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }, 'its order is not clear'],
    ['an index of nothing', { data: [0, 5].map((index) => ({ index, embedding: [1] })) }, 'its order is not clear'],
    ['text', { data: [{ embedding: ['1'] }, { embedding: [1] }] }, 'it has a vector that is not a list of numbers'],
    ['empty', { data: [{ embedding: [] }, { embedding: [] }] }, 'it has a vector that is not a list of numbers'],
    ['of different lengths', { data: [{ embedding: [1] }, { embedding: [1, 2] }] }, 'its vectors differ in length'],
  ])('%s are rejected', async (_, body, why) => {
    const { server, client } = await startModelClient()
    server.misbehave({ body: JSON.stringify(body) })
    const error = await errorOf(client.embed({ texts: ['a', 'b'] }))
    expect(error.kind).toBe('transient')
    expect(error.message).toBe(`The answer of text-embed-1 of my-openai cannot be used: ${why}`)
  })

  it('with numbers that are not finite are rejected', async () => {
    const { server, client } = await startModelClient()
    server.misbehave({ body: '{"data":[{"embedding":[1e999]}]}' })
    server.misbehave({ body: '{"data":[{"embedding":[NaN]}]}' })
    for (const _ of [1, 2]) {
      const error = await errorOf(client.embed({ texts: ['a'] }))
      expect(error).toMatchObject({ kind: 'transient', message: 'my-openai returned invalid JSON' })
    }
  })
})

describe('the address of requests', () => {
  it('a forbidden address is not called, and the error is permanent', async () => {
    const { server } = await startModelClient()
    const client = clientOf(server.baseUrl, { client: { egress: createEgress({ allowed: [] }) } })
    const error = await errorOf(client.complete(QUESTION))
    expect(error.kind).toBe('permanent')
    expect(error.message).toMatch(/^my-openai was not called: The host 127\.0\.0\.1 is not on the public internet\./)
    expect(server.requests).toHaveLength(0)
    expect(server.socketsOpen).toBe(0)
  })

  it('a name that leads elsewhere when it is called is not called either', async () => {
    const { server } = await startModelClient()
    let lookUps = 0
    const resolve = async () => {
      lookUps += 1
      return [{ address: lookUps === 1 ? '93.184.215.14' : '127.0.0.1', family: 4 }]
    }
    const baseUrl = server.baseUrl.replace(/127\.0\.0\.1:\d+/, 'judge.example')
    const client = clientOf(baseUrl.replace('http:', 'https:'), {
      client: { egress: createEgress({ allowed: [], resolve }) },
    })
    expect((await errorOf(client.complete(QUESTION))).message).toMatch(
      /judge\.example was not found on the public internet/,
    )
    expect(lookUps).toBe(2)
    expect(server.socketsOpen).toBe(0)
  })

  it('a name that cannot be looked up now may be known later', async () => {
    const egress = createEgress({ allowed: [], resolve: () => Promise.reject(new Error('EAI_AGAIN')) })
    const error = await errorOf(clientOf('https://judge.example/v1', { client: { egress } }).complete(QUESTION))
    expect(error).toMatchObject({
      kind: 'transient',
      message: expect.stringMatching(/^my-openai was not called: The host judge\.example was not found on the public/),
    })
  })
})
