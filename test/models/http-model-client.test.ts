import { describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress-guard.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import type { Unknown } from '../harness/model-server.ts'
import { API_KEY, clientOf, errorOf, QUESTION, startAsking } from './asking.ts'

describe('a question', () => {
  it('is sent once, with the key, without tools, and is answered with a value that fits the schema', async () => {
    const { server, client } = await startAsking({ server: { answer: () => ({ reason: 'right', score: 4 }) } })
    expect(await client.complete({ ...QUESTION, seed: 7 })).toEqual({
      value: { reason: 'right', score: 4 },
      model: 'judge-1',
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
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

  it('names the model and the temperature that were asked for, and no key where there is none', async () => {
    const { server, client } = await startAsking({ connection: { apiKey: undefined } })
    const answer = await client.complete({ ...QUESTION, model: 'judge-2', temperature: 0.7 })
    expect(answer.model).toBe('judge-2')
    expect(server.requests[0]?.body).toMatchObject({ model: 'judge-2', temperature: 0.7 })
    expect(server.requests[0]?.body).not.toHaveProperty('seed')
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it('goes to the same place whether or not the base URL ends in a slash', async () => {
    const { server } = await startAsking()
    await clientOf(`${server.baseUrl}//`).complete(QUESTION)
    expect(server.requests[0]?.path).toBe('/v1/chat/completions')
  })

  it('keeps the query of the base URL, where some providers want a version', async () => {
    const { server } = await startAsking()
    await clientOf(`${server.baseUrl}/?api-version=2026-01-01`).complete(QUESTION)
    expect(server.requests[0]?.path).toBe('/v1/chat/completions?api-version=2026-01-01')
  })

  it('without a model is rejected before anything is sent', async () => {
    const { server, client } = await startAsking({ connection: { models: [] } })
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
    const { server, client } = await startAsking()
    server.misbehave({ content: contents[form] })
    expect((await client.complete(QUESTION)).value).toEqual(fine)
  })

  it('without numbers of tokens, or with senseless ones, is an answer whose usage is not known', async () => {
    const { server, client } = await startAsking()
    server.misbehave({ content: json })
    expect((await client.complete(QUESTION)).usage).toEqual({ inputTokens: null, outputTokens: null })
    const usage = { prompt_tokens: -3, completion_tokens: 1.5 }
    server.misbehave({ body: JSON.stringify({ choices: [{ message: { content: json } }], usage }) })
    expect((await client.complete(QUESTION)).usage).toEqual({ inputTokens: null, outputTokens: null })
  })

  it('with more fields than were asked for is taken without them', async () => {
    const content = '{"thoughts": ["long"], "reason": "fine", "score": 5, "confidence": 0.9}'
    const { server, client } = await startAsking()
    server.misbehave({ content })
    expect((await client.complete(QUESTION)).value).toEqual({ reason: 'fine', score: 5 })
    expect(server.requests).toHaveLength(1)
  })

  it('of the right form is taken even if its content type is wrong', async () => {
    const { server, client } = await startAsking()
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
  it.each(cases)('is asked in the way that it knows, from the second question on at once: $unknown', async (one) => {
    const { server, client } = await startAsking({ server: { unknown: one.unknown } })
    await client.complete({ ...QUESTION, seed: 1 })
    expect(server.requests.map(({ format }) => format)).toEqual(one.formats)
    await client.complete({ ...QUESTION, seed: 1 })
    expect(server.requests).toHaveLength(one.formats.length + 1)
    const last = server.requests.at(-1)
    expect(last?.format).toBe(one.formats.at(-1))
    expect(last?.system).toContain('JSON Schema')
    for (const name of one.unknown) expect(last?.body).not.toHaveProperty(name)
  })

  it.each<{ unknown: Unknown[]; told: Record<string, number> }>([
    { unknown: [], told: { max_completion_tokens: 50 } },
    { unknown: ['max_completion_tokens'], told: { max_tokens: 50 } },
    { unknown: ['max_completion_tokens', 'max_tokens'], told: {} },
  ])('is told how long an answer may be by the name that it knows: $told', async ({ unknown, told }) => {
    const { server, client } = await startAsking({ server: { unknown } })
    await client.complete({ ...QUESTION, answerTokensMax: 50 })
    expect(server.requests).toHaveLength(unknown.length + 1)
    const { max_completion_tokens, max_tokens } = server.requests.at(-1)?.body ?? {}
    const sent = { max_completion_tokens, max_tokens }
    expect(sent).toEqual({ max_completion_tokens: undefined, max_tokens: undefined, ...told })
  })

  it('is asked in its own way for each model: one that knows less does not spoil the others', async () => {
    const misbehaviour = (request: {
      body: Record<string, unknown>
      format: string | undefined
    }): Misbehaviour | undefined =>
      request.body.model === 'old' && request.format
        ? { status: 422, error: { message: 'response_format: extra inputs' } }
        : undefined
    const { server, client } = await startAsking({ server: { misbehaviour } })
    await client.complete({ ...QUESTION, model: 'old' })
    await client.complete(QUESTION)
    expect(server.requests.map(({ format }) => format)).toEqual([
      'json_schema',
      'json_object',
      undefined,
      'json_schema',
    ])
  })

  it('a temperature that somebody asked for is never left out silently', async () => {
    const { server, client } = await startAsking({ server: { unknown: ['temperature'] } })
    const error = await errorOf(client.complete({ ...QUESTION, temperature: 0.5 }))
    expect(error.kind).toBe('permanent')
    expect(error.message).toBe(
      'my-openai returned 400: it rejected the request; its message: Unsupported parameter: temperature',
    )
    expect(server.requests).toHaveLength(1)
  })

  it('that rejects every response format gets three requests and no more', async () => {
    const rejection: Misbehaviour = { status: 400, error: { message: 'response_format is not supported' } }
    const { server, client } = await startAsking({ server: { misbehaviour: () => rejection } })
    expect((await errorOf(client.complete(QUESTION))).kind).toBe('permanent')
    expect(server.requests).toHaveLength(3)
  })
})

describe('vectors', () => {
  it('come in the order of the texts, from the model for vectors', async () => {
    const { server, client } = await startAsking()
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
      usage: { inputTokens: 3, outputTokens: 0 },
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
    const { server, client } = await startAsking()
    server.misbehave({ body: JSON.stringify(body) })
    const error = await errorOf(client.embed({ texts: ['a', 'b'] }))
    expect(error.kind).toBe('transient')
    expect(error.message).toBe(`The answer of text-embed-1 of my-openai cannot be used: ${why}`)
  })

  it('with numbers that are not finite are rejected', async () => {
    const { server, client } = await startAsking()
    server.misbehave({ body: '{"data":[{"embedding":[1e999]}]}' })
    server.misbehave({ body: '{"data":[{"embedding":[NaN]}]}' })
    for (const _ of [1, 2]) {
      const error = await errorOf(client.embed({ texts: ['a'] }))
      expect(error).toMatchObject({ kind: 'transient', message: 'my-openai returned invalid JSON' })
    }
  })
})

describe('where requests go', () => {
  it('an address that may not be called is not called, and asking again is of no use', async () => {
    const { server } = await startAsking()
    const client = clientOf(server.baseUrl, { client: { egress: createEgress({ allowed: [] }) } })
    const error = await errorOf(client.complete(QUESTION))
    expect(error.kind).toBe('permanent')
    expect(error.message).toMatch(/^my-openai was not called: The host 127\.0\.0\.1 is not on the public internet\./)
    expect(server.requests).toHaveLength(0)
    expect(server.socketsOpen).toBe(0)
  })

  it('a name that leads elsewhere when it is called is not called either', async () => {
    const { server } = await startAsking()
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
