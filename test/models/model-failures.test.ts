/** For any behavior of a provider, a request ends: with a valid answer, or with an error that is transient or permanent. */
import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { RETRY_AFTER_MAX_MS } from '../../src/llm/provider-errors.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import { until } from '../harness/wait-for.ts'
import { API_KEY, clientOf, errorOf, QUESTION, startModelClient } from './start-model-client.ts'

const SHORT_MS = 50
const unusable = (why: string) => `The answer of judge-1 of my-openai cannot be used: ${why}`
const content = (text: string): Misbehaviour => ({ content: text })
const broken = 'my-openai could not be reached: the connection was reset'

type Expected = readonly [how: Misbehaviour, kind: 'transient' | 'permanent', message: string]

const FAILURES: Record<string, Expected> = {
  'a reset connection': ['reset', 'transient', broken],
  'a connection that breaks off in the body': ['reset in the body', 'transient', broken],
  'another protocol': ['not HTTP', 'transient', 'my-openai could not be reached: the response was not HTTP'],
  '408': [{ status: 408 }, 'transient', 'my-openai returned 408 (request timeout)'],
  '409': [{ status: 409 }, 'transient', 'my-openai returned 409 (conflict)'],
  '425': [{ status: 425 }, 'transient', 'my-openai returned 425 (too early)'],
  '429': [{ status: 429 }, 'transient', 'my-openai returned 429 (rate limit)'],
  '429 without quota': ['no quota', 'permanent', 'my-openai returned 429: its account has no quota left'],
  '500': [{ status: 500 }, 'transient', 'my-openai returned 500 (internal error)'],
  '502': [{ status: 502 }, 'transient', 'my-openai returned 502 (bad gateway)'],
  '503': [{ status: 503 }, 'transient', 'my-openai returned 503 (unavailable)'],
  '599': [{ status: 599 }, 'transient', 'my-openai returned 599 (server error)'],
  '400': [
    { status: 400 },
    'permanent',
    'my-openai returned 400: it rejected the request; its message: The server says no',
  ],
  '400 for the length': [
    'context length',
    'permanent',
    'my-openai returned 400: the text is too long for the model judge-1',
  ],
  '401': [{ status: 401 }, 'permanent', 'my-openai returned 401: it does not accept the key of this connection'],
  '402': [{ status: 402, error: {} }, 'permanent', 'my-openai returned 402: payment required'],
  '403': [{ status: 403 }, 'permanent', 'my-openai returned 403: the key of this connection is not allowed to do this'],
  '404 for the model': [
    'model not found',
    'permanent',
    'my-openai returned 404: it has no model judge-1, or its base URL is wrong; its message: The model `judge-1` does not exist',
  ],
  '413': [{ status: 413, error: {} }, 'permanent', 'my-openai returned 413: the request is too large for it'],
  '422': [
    { status: 422 },
    'permanent',
    'my-openai returned 422: it rejected the request; its message: The server says no',
  ],
  'a web page': ['HTML', 'permanent', 'my-openai returned a web page instead of an API response; check its base URL'],
  'another content type': ['wrong content type', 'permanent', 'my-openai did not return JSON; check its base URL'],
  'JSON that ends early': ['invalid JSON', 'transient', 'my-openai returned invalid JSON'],
  'bytes that are not UTF-8': ['invalid UTF-8', 'transient', 'my-openai returned invalid JSON'],
  'JSON of a million levels': [{ body: '['.repeat(900_000) }, 'transient', 'my-openai returned invalid JSON'],
  'an empty body': [{ body: '' }, 'transient', 'my-openai returned invalid JSON'],
  'JSON that is no object': [{ body: '"hello"' }, 'transient', 'my-openai returned invalid JSON'],
  'no choices': ['empty choices', 'transient', unusable('it is empty')],
  'an empty content': [{ content: '' }, 'transient', unusable('it is empty')],
  'a content of null': [{ content: null }, 'transient', unusable('it is empty')],
  'a refusal': ['refusal', 'permanent', 'judge-1 of my-openai refused to answer'],
  'a filtered answer': [
    { content: '', finishReason: 'content_filter' },
    'permanent',
    'judge-1 of my-openai refused to answer',
  ],
  'an answer that was cut off': [
    { content: '{"reason": "it is', finishReason: 'length' },
    'transient',
    unusable('it was cut off'),
  ],
  prose: [content('I would give it a 5.'), 'transient', unusable('it is not JSON')],
  'JSON within prose': [
    content('The text says {"reason": "great", "score": 5} but I disagree.'),
    'transient',
    unusable('it is not JSON'),
  ],
  NaN: [content('{"reason": "", "score": NaN}'), 'transient', unusable('it is not JSON')],
  'a number beyond all numbers': [content('{"reason": "", "score": 1e999}'), 'transient', unusable('it is not JSON')],
  'a score above the scale': [content('{"reason": "", "score": 6}'), 'transient', unusable('score must be <= 5')],
  'a score below the scale': [content('{"reason": "", "score": -1}'), 'transient', unusable('score must be >= 1')],
  'text for a number': [content('{"reason": "", "score": "5"}'), 'transient', unusable('score must be number')],
  'a list': [content('[5]'), 'transient', unusable('it must be object')],
  'a field too few': [content('{"score": 5}'), 'transient', unusable("it must have required property 'reason'")],
  'a field too many and one that is wrong': [
    content('{"reason": "", "score": 6, "tool": "x"}'),
    'transient',
    unusable('score must be <= 5'),
  ],
  'a forbidden key': [content('{"reason": "", "score": 5, "__proto__": {}}'), 'transient', unusable('it is not JSON')],
  'an error with status 200': [
    { body: '{"error": {"message": "Provider returned error", "code": 502}}' },
    'transient',
    'my-openai returned 502 (bad gateway)',
  ],
  'a final error with status 200': [
    { body: '{"error": {"message": "No such thing", "code": 400}}' },
    'permanent',
    'my-openai returned 400: it rejected the request; its message: No such thing',
  ],
}

describe('failures instead of an answer', () => {
  it.each(Object.keys(FAILURES))('%s is an error of the right kind, after one request', async (name) => {
    const [how, kind, message] = FAILURES[name] ?? ['hang', 'permanent', '']
    const { server, client } = await startModelClient()
    server.misbehave(how)
    expect(await errorOf(client.complete(QUESTION))).toMatchObject({ message, kind, retryAfterMs: undefined })
    expect(server.requests).toHaveLength(1)
    // The next question is not harmed by what came of the last.
    expect((await client.complete(QUESTION)).model).toBe('judge-1')
  })

  it.each(['hang', 'drip'] as const)(
    'a provider that does not end (%s) is given up, and its connection closed',
    async (how) => {
      const { server, client } = await startModelClient({ client: { timeoutMs: SHORT_MS } })
      server.misbehave(how, 2)
      const asked = [client.complete(QUESTION), client.embed({ texts: ['a'] })]
      for (const error of await Promise.all(asked.map(errorOf))) {
        expect(error).toMatchObject({ kind: 'transient', message: 'my-openai did not respond within 50 ms' })
      }
      await until(() => expect(server.socketsOpen).toBe(0))
    },
  )

  it('the timeout is for the whole call, for any number of requests', async () => {
    // Long enough for the first request, also on a machine that has much else to do.
    const { server, client } = await startModelClient({
      server: { unknown: ['json_schema'] },
      client: { timeoutMs: 1_000 },
    })
    server.misbehave({ status: 400, error: { message: 'response_format' } })
    server.misbehave('hang')
    expect((await errorOf(client.complete(QUESTION))).message).toBe('my-openai did not respond within 1 s')
    expect(server.requests).toHaveLength(2)
  })

  it('100 MB are not read: the connection is closed at the bound', async () => {
    const { server, client } = await startModelClient()
    server.misbehave('100 MB')
    const error = await errorOf(client.complete(QUESTION))
    expect(error).toMatchObject({ kind: 'permanent', message: 'my-openai returned a response that is too large' })
    await until(() => expect(server.socketsOpen).toBe(0))
    // What the sockets of both sides hold comes on top of what was read.
    expect(server.bytesWritten).toBeLessThan(30 * 1_048_576)
  })

  it('an answer of exactly the bound is read', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: '{"reason": "", "score": 2}' } }] })
    const { server, client } = await startModelClient({ client: { responseBytesMax: body.length } })
    server.misbehave({ body })
    server.misbehave({ body: `${body} ` })
    expect((await client.complete(QUESTION)).value).toEqual({ reason: '', score: 2 })
    expect((await errorOf(client.complete(QUESTION))).kind).toBe('permanent')
  })

  it('a redirect is not followed, and the key stays where it was sent', async () => {
    const { server: other } = await startModelClient()
    const { server, client } = await startModelClient()
    for (const status of [301, 302, 303, 307, 308]) {
      server.misbehave({ status, headers: { location: `${other.baseUrl}/chat/completions` } })
      expect(await errorOf(client.complete(QUESTION))).toMatchObject({
        kind: 'permanent',
        message: `my-openai returned ${status} (a redirect), which is not followed; set its base URL to the URL of the API`,
      })
    }
    expect(other.requests).toHaveLength(0)
    expect(server.requests).toHaveLength(5)
  })

  it('an unreachable server is a transient error', async () => {
    const { server, client } = await startModelClient()
    await server.close()
    const error = await errorOf(client.complete(QUESTION))
    expect(error).toMatchObject({
      kind: 'transient',
      message: 'my-openai could not be reached: the connection was refused',
    })
  })

  it('an aborted request ends at once, and is not sent afterwards', async () => {
    const stop = new AbortController()
    const { server, client } = await startModelClient({ client: { signal: stop.signal } })
    server.misbehave('hang')
    const asked = errorOf(client.complete(QUESTION))
    await until(() => expect(server.requests).toHaveLength(1))
    stop.abort()
    const stopped = { kind: 'transient', message: 'my-openai was canceled because the work was stopped' }
    expect(await asked).toMatchObject(stopped)
    expect(await errorOf(client.complete(QUESTION))).toMatchObject(stopped)
    expect(server.requests).toHaveLength(1)
    await until(() => expect(server.socketsOpen).toBe(0))
  })
})

it('a signal that outlives thousands of questions keeps nothing of them', async () => {
  const { signal } = new AbortController()
  const { server, client } = await startModelClient({ client: { signal } })
  server.misbehave({ status: 500 })
  await errorOf(client.complete(QUESTION))
  await client.complete(QUESTION)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

describe('the Retry-After of a provider', () => {
  const now = Date.parse('2026-11-15T10:00:00Z')
  const ask = async (headers: Record<string, string>, status = 429) => {
    const { server, client } = await startModelClient({ client: { clock: { now: () => now } } })
    server.misbehave({ status, headers })
    return errorOf(client.complete(QUESTION))
  }

  it.each([
    ['seconds', { 'retry-after': '20' }, 20_000],
    ['an HTTP date', { 'retry-after': 'Sun, 15 Nov 2026 10:00:30 GMT' }, 30_000],
    ['milliseconds, which go before seconds', { 'retry-after-ms': '1500', 'retry-after': '20' }, 1_500],
    ['a date that is over', { 'retry-after': 'Sun, 15 Nov 2026 09:00:00 GMT' }, 0],
    ['a day, which is too much to believe', { 'retry-after': '86400' }, RETRY_AFTER_MAX_MS],
  ])('is part of the error: %s', async (_, headers, waitMs) => {
    expect(await ask(headers)).toMatchObject({ kind: 'transient', retryAfterMs: waitMs })
  })

  it.each(['soon', '-5', '', 'NaN', '1e9', '2026-11-15', 'Sunday GMT', 'Sun, x GMT'])(
    'is ignored if it is invalid: %j',
    async (text) => {
      expect(await ask({ 'retry-after': text })).toMatchObject({ kind: 'transient', retryAfterMs: undefined })
    },
  )

  it('is in the message for people', async () => {
    const error = await ask({ 'retry-after': '20' })
    expect(error.message).toBe('my-openai returned 429 (rate limit); it asks to wait 20 s')
    expect((await ask({ 'retry-after-ms': '200' }, 503)).message).toBe(
      'my-openai returned 503 (unavailable); it asks to wait 1 s',
    )
  })
})

describe('the key', () => {
  it.each([
    ['in an error response', { status: 400, error: { message: `Incorrect API key provided: ${API_KEY}.` } }],
    [
      'hidden by invisible characters',
      { status: 400, error: { message: `Key ${API_KEY.slice(0, 12)}\u200b${API_KEY.slice(12)}\u0007` } },
    ],
    ['in pieces, as providers show it', { status: 404, error: { message: 'No such key: sk-test-4f9Z***bE3u' } }],
    [
      'in an error response about the key',
      { status: 401, error: { message: `Incorrect API key provided: ${API_KEY}` } },
    ],
    ['beyond the end of what is quoted', { status: 422, error: { message: `${'x'.repeat(290)}${API_KEY}` } }],
    ['in a field of validation', { status: 422, error: { detail: API_KEY } }],
  ])('is in no error, also if the provider repeats it %s', async (_, how) => {
    const { server, client } = await startModelClient()
    server.misbehave(how)
    const { message } = await errorOf(client.complete(QUESTION))
    expect(message).not.toMatch(/sk-|4f9Z|bE3u/)
  })

  it('that cannot be sent is an error that does not contain it', async () => {
    const { server } = await startModelClient()
    const client = clientOf(server.baseUrl, { connection: { apiKey: `${API_KEY}\nx: y` } })
    const error = await errorOf(client.complete(QUESTION))
    expect(error.kind).toBe('permanent')
    expect(error.message).toBe(
      'my-openai could not be reached: the key of this connection has characters that cannot be sent',
    )
    expect(server.requests).toHaveLength(0)
  })
})
