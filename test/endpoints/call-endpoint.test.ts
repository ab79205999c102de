/** A call of a service: what reaches it, what becomes of its answer, and when it is sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress-guard.ts'
import { ANSWER_BYTES_MAX, callEndpoint, type EndpointCall } from '../../src/endpoints/call-endpoint.ts'
import type { OpenEndpoint } from '../../src/endpoints/find-endpoint.ts'
import { createHostLimits } from '../../src/llm/host-limits.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import { waitFor } from '../harness/wait-for.ts'
import { fakeTime, settle } from '../models/fake-time.ts'
import { type Service, sendJson, startService } from './service.ts'

const TOKEN = 'canary-7d1f0b5e-2c'
const SPAN = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Each test has limits and a time of its own. */
let time = fakeTime()
let deps = depsOf(time)
beforeEach(() => {
  time = fakeTime()
  deps = depsOf(time)
})

function depsOf({ clock, timer }: ReturnType<typeof fakeTime>, allowed = ['127.0.0.1']) {
  return { clock, egress: createEgress({ allowed }), hostLimits: createHostLimits({ clock, timer }) }
}

function endpointWith(more: Partial<OpenEndpoint> = {}): OpenEndpoint {
  const limits = { concurrency: 4, requestsPerMinute: null, timeoutMs: 60_000 }
  return { id: 'e1', name: 'staging', baseUrl: service.url, headers: {}, ...limits, ...more }
}

function call(more: Partial<EndpointCall> = {}, endpoint: Partial<OpenEndpoint> = {}) {
  return callEndpoint(deps, {
    endpoint: endpointWith(endpoint),
    body: { question: '{{input.question}}' },
    input: { question: 'Why?' },
    output: '/answer',
    application: 'a1',
    owner: 't1',
    signal: new AbortController().signal,
    ...more,
  })
}

const answerOf = (body: string, type = 'application/json'): Misbehaviour => ({ body, type })

describe('what reaches the service', () => {
  it('is one POST to the base URL with the body of the template, the headers and the span of the call', async () => {
    const before = service.requests.length
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'text/plain', 'x-tenant': 'a' }
    const result = await call({ span: SPAN }, { headers, baseUrl: `${service.url}?version=2` })
    expect(result).toMatchObject({ isDone: true, output: 'Yes', status: 200 })
    expect(service.requests.slice(before)).toMatchObject([
      {
        method: 'POST',
        path: '/ask/?version=2',
        body: { question: 'Why?' },
        headers: {
          ...headers,
          'content-type': 'application/json',
          'user-agent': expect.stringMatching(/^touchstone\//),
          traceparent: `00-${SPAN.traceId}-${SPAN.spanId}-01`,
        },
      },
    ])
  })

  it('has no traceparent without a span', async () => {
    await call()
    expect(service.requests.at(-1)?.headers).not.toHaveProperty('traceparent')
  })

  it.each([
    [{ a: '{{input.missing}}' }, '/answer', /^The input has no value for input\.missing/],
    [{ a: '{{output}}' }, '/answer', /^The body has \{\{output\}\}/],
    [{}, 'answer', /is not a JSON Pointer/],
  ])('is nothing if the body or the pointer cannot work: %j %s', async (body, output, message) => {
    const before = service.requests.length
    expect(await call({ body, output })).toEqual({
      isDone: false,
      isTransient: false,
      message: expect.stringMatching(message),
      status: null,
      durationMs: null,
      answer: undefined,
    })
    expect(service.requests).toHaveLength(before)
  })

  it('is nothing if the address is not allowed', async () => {
    const before = service.requests.length
    deps = depsOf(time, [])
    expect(await call()).toMatchObject({
      isDone: false,
      isTransient: false,
      durationMs: null,
      message: expect.stringMatching(/^staging was not called: The host 127\.0\.0\.1 is not on the public internet/),
    })
    expect(service.requests).toHaveLength(before)
  })
})

describe('the output', () => {
  it.each([
    ['/answer', '{"answer":{"text":"Yes"}}', { text: 'Yes' }],
    ['/answer/text', '{"answer":{"text":"Yes"}}', 'Yes'],
    ['/choices/0', '{"choices":[null]}', null],
    ['', '{"answer":1}', { answer: 1 }],
    ['', '"Yes"', 'Yes'],
  ])('at %j is the JSON value there', async (output, body, value) => {
    service.next(answerOf(body))
    expect(await call({ output })).toMatchObject({ isDone: true, output: value })
  })

  it.each([
    ['text/plain; charset=utf-8', 'Yes, {"a": 1}', 'Yes, {"a": 1}'],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['text/html', '<p>Yes', '<p>Yes'],
    ['application/problem+json', '{"a":1}', { a: 1 }],
    ['application/JSON', '[1]', [1]],
    ['', '{"a":1}', { a: 1 }],
    ['', 'Yes', 'Yes'],
    ['text/plain', '', ''],
    ['text/plain', 'a\0b', 'a\ufffdb'],
  ])('without a pointer, of %j, is the text unless it is JSON: %j', async (type, body, output) => {
    service.next((_, res) => void res.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body))
    expect(await call({ output: '' })).toMatchObject({ isDone: true, output })
  })

  it('by a pointer is found in JSON that is not declared to be any', async () => {
    service.next(answerOf('{"answer":"Yes"}', 'text/plain'))
    expect(await call()).toMatchObject({ isDone: true, output: 'Yes' })
  })

  it.each([
    [
      '/answer',
      '{"text":"x","id":5}',
      'staging returned nothing at /answer: its answer is an object with the fields text, id',
    ],
    ['/a~1b/2', '{"a/b":[1]}', 'staging returned nothing at /a~1b/2: /a~1b is a list with 1 value'],
    ['/answer', '"text"', 'staging returned nothing at /answer: its answer is a text'],
    ['/answer', '{"answer":', 'staging returned an answer that cannot be read: it is not valid JSON'],
    ['/answer', '', 'staging returned an answer that cannot be read: it is not valid JSON'],
    ['', '{"answer":', 'staging returned an answer that cannot be read: it is not valid JSON'],
    ['/a', `${'['.repeat(100)}${']'.repeat(100)}`, /it is nested too deeply/],
    ['/a', '{"a":"\\ud800"}', /characters that cannot be stored/],
  ])('that is missing at %s is a permanent failure that says what there is: %s', async (output, body, message) => {
    service.next(answerOf(body))
    expect(await call({ output })).toMatchObject({
      isDone: false,
      isTransient: false,
      status: 200,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })

  it.each<[Misbehaviour, RegExp]>([
    ['100 MB', /^staging returned an answer of more than 1 MiB$/],
    ['invalid UTF-8', /not valid UTF-8/],
    ['HTML', /it is not valid JSON/],
    [{ body: Buffer.from([0xff, 0xfe]), type: 'text/plain' }, /it is not valid|not text in UTF-8|not valid UTF-8/],
  ])('of an unusable answer is a permanent failure: %j', async (how, message) => {
    service.next(how)
    const result = await call()
    expect(result).toMatchObject({ isDone: false, isTransient: false, message: expect.stringMatching(message) })
  })

  it('may have exactly 1 MiB', async () => {
    const envelope = '{"answer":""}'.length
    service.next(answerOf(JSON.stringify({ answer: 'x'.repeat(ANSWER_BYTES_MAX - envelope) })))
    expect(await call()).toMatchObject({ isDone: true })
    service.next(answerOf(JSON.stringify({ answer: 'x'.repeat(ANSWER_BYTES_MAX - envelope + 1) })))
    expect(await call()).toMatchObject({ isDone: false, isTransient: false })
  })

  it('that is compressed is a permanent failure', async () => {
    service.next((_, res) => sendJson(res, 200, { answer: 'Yes' }, { 'content-encoding': 'gzip' }))
    expect(await call()).toMatchObject({ isDone: false, message: expect.stringMatching(/compressed/) })
  })

  it.each([
    ['authorization', `Bearer ${TOKEN}`, { answer: `You sent ${TOKEN}` }],
    ['x-api-key', TOKEN, { answer: { nested: [`${TOKEN}`] } }],
    ['cookie', 'id="quoted"', { answer: 'id="quoted"' }],
  ])('that repeats a credential is a permanent failure, so that no trace has it: %s', async (name, value, body) => {
    service.next((_, res) => sendJson(res, 200, body))
    const result = await call({}, { headers: { [name]: value } })
    const message = `staging returned the value of the header ${name}, so its answer is not stored`
    expect(result).toMatchObject({ isDone: false, isTransient: false, message })
  })

  it('may contain the value of a header that is no credential, such as a language', async () => {
    service.next((_, res) => sendJson(res, 200, { answer: 'in de-DE for application/json' }))
    const headers = { accept: 'application/json', 'accept-language': 'de-DE' }
    expect(await call({}, { headers })).toMatchObject({ isDone: true })
  })
})

describe('a failure', () => {
  it.each([
    [429, true, /^staging returned 429 \(rate limit\)/],
    [408, true, /^staging returned 408 \(request timeout\)/],
    [500, true, /^staging returned 500 \(internal error\)/],
    [503, true, /^staging returned 503 \(unavailable\)/],
    [400, false, /^staging returned 400: it rejected the request; its message: The server says no$/],
    [401, false, /^staging returned 401: it does not accept the headers/],
    [404, false, /^staging returned 404: nothing is at its base URL/],
    [422, false, /^staging returned 422: it does not accept this body/],
    [302, false, /^staging returned 302, which is not followed/],
    [307, false, /^staging returned 307, which is not followed/],
  ])('of status %i is transient: %s', async (status, isTransient, message) => {
    const before = service.requests.length
    service.next({ status, headers: { location: service.url } })
    expect(await call()).toMatchObject({
      isDone: false,
      isTransient,
      status,
      durationMs: 0,
      message: expect.stringMatching(message),
    })
    expect(service.requests).toHaveLength(before + 1)
  })

  it.each<[Misbehaviour, RegExp]>([
    ['reset', /^staging could not be reached: the connection was reset$/],
    ['reset in the body', /^staging could not be reached: the connection was reset$/],
    ['not HTTP', /^staging could not be reached: the response was not HTTP$/],
  ])('of the connection is transient: %s', async (how, message) => {
    service.next(how)
    expect(await call()).toMatchObject({
      isDone: false,
      isTransient: true,
      status: null,
      durationMs: 0,
      message: expect.stringMatching(message),
    })
  })

  it('of a service that does not run is transient', async () => {
    const result = await call({}, { baseUrl: 'http://127.0.0.1:9/' })
    expect(result).toMatchObject({ isDone: false, isTransient: true, message: expect.stringMatching(/was refused$/) })
  })

  it.each<Misbehaviour>(['hang', 'drip'])('after the timeout is transient: %s', async (how) => {
    service.next(how)
    const result = await call({}, { timeoutMs: 200 })
    const message = 'staging did not respond within 200 ms'
    expect(result).toMatchObject({ isDone: false, isTransient: true, status: null, message })
  })

  it('when the work is stopped ends the call', async () => {
    const stopping = new AbortController()
    const before = service.requests.length
    service.next('hang')
    const result = call({ signal: stopping.signal })
    await waitFor('the call', async () => service.requests.length > before || undefined)
    stopping.abort()
    expect(await result).toMatchObject({ isDone: false, isTransient: true, message: expect.stringMatching(/stopped/) })
  })

  it.each([
    [{ error: { message: 'No such tool' } }, 'No such tool'],
    [{ error: 'No such tool' }, 'No such tool'],
    [{ detail: [{ loc: ['body', 'q'], msg: 'required' }] }, '[{"loc":["body","q"],"msg":"required"}]'],
    [{ message: 'No\u0007such\ntool' }, 'No such tool'],
  ])('quotes what the service says: %j', async (body, quoted) => {
    service.next((_, res) => sendJson(res, 422, body))
    const message = `staging returned 422: it does not accept this body; its message: ${quoted}`
    expect(await call()).toMatchObject({ message })
  })

  it('quotes no page, and nothing that has a header in any encoding', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'x-other': 'other-canary-value' }
    for (const said of [
      TOKEN,
      Buffer.from(TOKEN).toString('base64'),
      [...TOKEN].reverse().join(''),
      `key ${TOKEN.slice(0, 12)}`,
      'other-canary-value',
    ]) {
      service.next((_, res) => sendJson(res, 400, { error: `Wrong: ${said}` }))
      expect(await call({}, { headers })).toMatchObject({ message: 'staging returned 400: it rejected the request' })
      service.next((_, res) => sendJson(res, 200, { [said]: 1 }))
      expect(await call({}, { headers })).toMatchObject({ message: 'staging returned nothing at /answer' })
    }
    service.next((_, res) => void res.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oops'))
    expect(await call()).toMatchObject({ message: 'staging returned 500 (internal error)' })
  })
})

describe('the turn of a call', () => {
  /** Answers that the test sends. */
  function held(count: number) {
    const sends: (() => void)[] = []
    for (let place = 0; place < count; place += 1) {
      service.next((_, res) => void sends.push(() => sendJson(res, 200, { answer: place })))
    }
    return {
      sends,
      reached: (number: number) => waitFor(`${number} calls`, async () => sends.length === number || undefined),
    }
  }

  it('comes when fewer calls run than the endpoint allows', async () => {
    const { sends, reached } = held(3)
    const starts: number[] = []
    const calls = [0, 1, 2].map((place) => call({ onStart: () => void starts.push(place) }, { concurrency: 2 }))
    await reached(2)
    expect(starts).toEqual([0, 1])
    sends.shift()?.()
    await calls[0]
    await reached(2)
    expect(starts).toEqual([0, 1, 2])
    for (const send of sends) send()
    expect(await Promise.all(calls)).toMatchObject([{ isDone: true }, { isDone: true }, { isDone: true }])
  })

  it('keeps to the requests per minute of the endpoint, by the clock of the server', async () => {
    const starts: number[] = []
    const from = time.clock.now()
    const calls = [0, 1, 2].map(() =>
      call({ onStart: () => void starts.push(time.clock.now() - from) }, { requestsPerMinute: 3 }),
    )
    await calls[0]
    for (const _ of [1, 2]) {
      await time.pass(19_999)
      await time.pass(1)
    }
    await Promise.all(calls)
    expect(starts).toEqual([0, 20_000, 40_000])
  })

  it('comes for no call of the endpoint before the time that a Retry-After asks for, and then at once', async () => {
    service.next({ status: 429, headers: { 'retry-after': '30' } })
    const first = await call()
    expect(first).toMatchObject({
      isDone: false,
      isTransient: true,
      retryAfterMs: 30_000,
      message: 'staging returned 429 (rate limit); it asks to wait 30 s; its message: The server says no',
    })
    const before = service.requests.length
    const second = call()
    // Another endpoint at the same host does not wait.
    expect(await call({}, { id: 'e2' })).toMatchObject({ isDone: true })
    await time.pass(29_999)
    expect(service.requests).toHaveLength(before + 1)
    await time.pass(1)
    expect(await second).toMatchObject({ isDone: true })
  })

  it('is never delayed for more than ten minutes by a wrong Retry-After', async () => {
    service.next({ status: 503, headers: { 'retry-after': '86400' } })
    expect(await call()).toMatchObject({ isTransient: true, retryAfterMs: 600_000 })
    service.next({ status: 503, headers: { 'retry-after': 'soon' } })
    const result = call()
    await time.pass(600_000)
    expect(await result).not.toHaveProperty('retryAfterMs')
  })

  it('is given up when the work is stopped: nothing is sent', async () => {
    const { sends, reached } = held(1)
    const running = call({}, { concurrency: 1 })
    await reached(1)
    const stopping = new AbortController()
    const waiting = call({ signal: stopping.signal }, { concurrency: 1 })
    await settle()
    const before = service.requests.length
    stopping.abort()
    expect(await waiting).toMatchObject({ isDone: false, isTransient: true, status: null, durationMs: null })
    sends.shift()?.()
    await running
    expect(service.requests).toHaveLength(before)
  })

  it('does not count in the duration, which is that of the service', async () => {
    await call({}, { requestsPerMinute: 1 })
    const { sends, reached } = held(1)
    const second = call({}, { requestsPerMinute: 1 })
    await time.pass(60_000)
    await reached(1)
    await time.pass(250)
    sends.shift()?.()
    expect(await second).toMatchObject({ isDone: true, durationMs: 250 })
  })
})
