import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readClientSettings, type TouchstoneOptions } from '../../packages/sdk/src/client-options.ts'
import { createHttpSender, type HttpRequest } from '../../packages/sdk/src/http-sender.ts'
import { acceptsIdempotencyKey, readRetryAfter, retryDelayMs } from '../../packages/sdk/src/retry-policy.ts'
import {
  ApiError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  Touchstone,
  TouchstoneError,
  ValidationError,
} from '../../packages/sdk/src/sdk.ts'
import { storesResponse } from '../../src/http/route.ts'
import { describedRoutes } from '../../tools/described-routes.ts'

const KEY = 'tsk_a-secret-of-this-test'

type Reply = Response | Error | 'never'

/** A server that gives these replies one after the other, and a sender that does not wait between attempts. */
function flakyServer(replies: Reply[], options: TouchstoneOptions = {}) {
  const received: { method: string; url: string; headers: Headers; body: unknown }[] = []
  const delays: number[] = []
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    received.push({ method: init.method ?? '', url: String(url), headers: new Headers(init.headers), body: init.body })
    const reply = replies[received.length - 1]
    if (reply === undefined) throw new Error('the test has no more replies')
    if (reply === 'never') return new Promise((_, reject) => init.signal?.addEventListener('abort', reject))
    if (reply instanceof Error) throw reply
    return reply
  }
  const settings = readClientSettings({ apiKey: KEY, fetch, ...options }, {})
  const sleep = async (ms: number) => void delays.push(ms)
  const sender = createHttpSender(settings, { sleep, random: () => 0 })
  const send = (request: Partial<HttpRequest>) => sender.send({ method: 'GET', path: '/components', ...request })
  return { send, received, delays }
}

const ok = () => Response.json({ data: [] })
const failed = (status: number, error = 'No.', headers: Record<string, string> = {}) =>
  Response.json({ error }, { status, headers })
const reset = () => new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })

describe('retries of the SDK', () => {
  it.each([
    ['a connection that was reset', reset],
    ['408', () => failed(408)],
    ['429', () => failed(429)],
    ['500', () => failed(500)],
    ['503', () => failed(503)],
  ])('repeat a request after %s, twice, with growing delays', async (_, failure) => {
    const { send, delays } = flakyServer([failure(), failure(), ok()])
    expect((await send({})).body).toEqual({ data: [] })
    expect(delays).toEqual([500, 1000])
  })

  it('end with the last error when no attempt succeeds', async () => {
    const { send, received } = flakyServer([failed(500), reset(), failed(503, 'Busy.')])
    await expect(send({})).rejects.toMatchObject({ name: 'ServerError', status: 503, message: 'Busy.' })
    expect(received).toHaveLength(3)
  })

  it.each([400, 401, 403, 404, 409, 413, 422])('do not repeat a request that got %i', async (status) => {
    const { send, received } = flakyServer([failed(status)])
    await expect(send({ method: 'POST', body: {} })).rejects.toMatchObject({ status, message: 'No.' })
    expect(received).toHaveLength(1)
  })

  it('do not repeat a request whose response is not JSON, and do not call it a failed connection', async () => {
    const broken = new Response('{', { headers: { 'content-type': 'application/json' } })
    const { send, received } = flakyServer([broken, ok()])
    await expect(send({})).rejects.toMatchObject({
      name: 'ResponseError',
      message: expect.stringContaining('is not JSON'),
    })
    expect(received).toHaveLength(1)
  })

  it('repeat a POST with the same Idempotency-Key, so that its work is done once', async () => {
    const { send, received } = flakyServer([reset(), ok()])
    await send({ method: 'POST', body: { name: 'A' } })
    const keys = received.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[1]).toBe(keys[0])
    expect(received[1]?.body).toBe('{"name":"A"}')
  })

  it('use another Idempotency-Key for another POST, and that of the caller if there is one', async () => {
    const { send, received } = flakyServer([ok(), ok(), ok()])
    await send({ method: 'POST', body: {} })
    await send({ method: 'POST', body: {} })
    await send({ method: 'POST', body: {}, idempotencyKey: 'mine' })
    const keys = received.map(({ headers }) => headers.get('idempotency-key'))
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('mine')
  })

  it('repeat a POST that is still being handled', async () => {
    const running = 'A request with this Idempotency-Key is still running; try again when it is finished'
    const { send, received } = flakyServer([reset(), failed(409, running), ok()])
    await send({ method: 'POST', body: {} })
    expect(received).toHaveLength(3)
  })

  it('never repeat a POST whose Idempotency-Key the server would not use', async () => {
    const { send, received } = flakyServer([reset(), ok()])
    await expect(send({ method: 'POST', path: '/api-keys', body: {} })).rejects.toThrow(ConnectionError)
    expect(received).toHaveLength(1)
    expect(received[0]?.headers.has('idempotency-key')).toBe(false)
  })

  it('know exactly the POST routes of the server that accept an Idempotency-Key', () => {
    const posts = describedRoutes().filter(({ method }) => method === 'POST')
    expect(posts.length).toBeGreaterThan(30)
    for (const route of posts) {
      const accepts = route.isRepeatable === true || storesResponse(route)
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      expect([path, acceptsIdempotencyKey('POST', path)]).toEqual([path, accepts])
    }
  })

  it('wait for the time of Retry-After, in seconds or until a date', async () => {
    const soon = new Date(Date.now() + 20_000).toUTCString()
    const limited = [failed(429, 'Slow.', { 'retry-after': '7' }), failed(503, 'Busy.', { 'retry-after': soon }), ok()]
    const { send, delays } = flakyServer(limited)
    await send({})
    expect(delays[0]).toBe(7000)
    expect(delays[1]).toBeGreaterThan(0)
    expect(delays[1]).toBeLessThanOrEqual(20_000)
  })

  it('report a Retry-After of a quota at once instead of waiting for hours', async () => {
    const { send, received } = flakyServer([failed(429, 'Quota.', { 'retry-after': '3600', 'x-request-id': 'r-1' })])
    const error = await send({}).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ message: 'Quota.', retryAfter: 3600, requestId: 'r-1', status: 429 })
    expect(received).toHaveLength(1)
  })

  it('can be switched off for a client and for a call', async () => {
    const never = flakyServer([failed(500)], { maxRetries: 0 })
    await expect(never.send({})).rejects.toThrow(ServerError)
    const once = flakyServer([failed(500), failed(500)])
    await expect(once.send({ maxRetries: 1 })).rejects.toThrow(ServerError)
    expect(once.received).toHaveLength(2)
  })

  it('never wait longer than 8 seconds, and never nothing, without Retry-After', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, chance) => {
        const delay = retryDelayMs(attempt, undefined, () => chance)
        expect(delay).toBeGreaterThanOrEqual(375)
        expect(delay).toBeLessThanOrEqual(8000)
      }),
    )
  })

  it('read any Retry-After as a number of seconds that is not negative, or not at all', () => {
    const header = fc.oneof(fc.string(), fc.nat().map(String), fc.date().map(String), fc.constant('Infinity'))
    fc.assert(
      fc.property(header, (text) => {
        const seconds = readRetryAfter(text, 1_800_000_000_000)
        expect(seconds === undefined || (seconds >= 0 && Number.isFinite(seconds))).toBe(true)
      }),
    )
  })
})

describe('timeouts and cancellation of the SDK', () => {
  it('end an attempt without a response with a TimeoutError, and try again', async () => {
    const { send, received } = flakyServer(['never', 'never'], { timeoutMs: 5, maxRetries: 1 })
    await expect(send({})).rejects.toThrow(TimeoutError)
    expect(received).toHaveLength(2)
  })

  it('throw the reason of the caller who aborts, without another attempt', async () => {
    const { send, received } = flakyServer(['never'])
    const controller = new AbortController()
    const sent = send({ signal: controller.signal })
    const reason = new Error('the user left')
    controller.abort(reason)
    await expect(sent).rejects.toBe(reason)
    expect(received).toHaveLength(1)
  })
})

describe('errors of the SDK', () => {
  it.each([
    [400, ValidationError],
    [404, NotFoundError],
    [409, ConflictError],
    [422, ValidationError],
    [418, ApiError],
  ])('have a class for status %i', async (status, Class) => {
    const { send } = flakyServer([failed(status)])
    const error = await send({}).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Class)
    expect(error).toBeInstanceOf(TouchstoneError)
    expect(Object(error).name).toBe(Class.name)
  })

  it('name the status if a proxy responds with HTML', async () => {
    const { send } = flakyServer([new Response('<h1>Nope</h1>', { status: 404 })])
    await expect(send({})).rejects.toThrow('The server responded with status 404.')
  })

  it('never show the key, for any failure', async () => {
    const leaking = new TypeError(`fetch failed with ${KEY}`, { cause: new Error(`bad header Bearer ${KEY}`) })
    const errors = await Promise.all(
      [[leaking], [failed(400, `unknown key ${KEY}`)], ['never']].map((replies) =>
        flakyServer(replies as Reply[], { maxRetries: 0, timeoutMs: 5 })
          .send({})
          .catch((error: unknown) => error),
      ),
    )
    const client = new Touchstone({ apiKey: KEY })
    const invalid = [`${KEY}\n${KEY}`, `${KEY}\u2026`].map((apiKey) => thrownBy(() => new Touchstone({ apiKey })))
    for (const shown of [...errors, client, ...invalid]) {
      const text = [String(shown), inspect(shown, { depth: 9, showHidden: true }), JSON.stringify(shown)].join()
      expect(text).not.toContain(KEY)
    }
    expect(errors).not.toContain(undefined)
  })
})

describe('settings of the SDK', () => {
  const read = (options: TouchstoneOptions, environment: Record<string, string> = {}) =>
    readClientSettings({ apiKey: 'k', ...options }, environment).baseUrl

  it('come from the variables that the server prints, and have a default', () => {
    expect(read({})).toBe('http://127.0.0.1:3000')
    expect(read({}, { TOUCHSTONE: 'http://a:1' })).toBe('http://a:1')
    expect(read({}, { TOUCHSTONE: 'http://a:1', TOUCHSTONE_URL: 'http://b:2/' })).toBe('http://b:2')
    expect(readClientSettings({}, { TOUCHSTONE_API_KEY: ' tsk_x\n' }).apiKey).toBe('tsk_x')
  })

  it('accept the address with the path of the API, and below a path', () => {
    expect(read({ baseUrl: 'https://x.example/api/v1/' })).toBe('https://x.example')
    expect(read({ baseUrl: 'https://x.example/touchstone' })).toBe('https://x.example/touchstone')
  })

  it.each([
    [{ baseUrl: 'localhost:3000' }, 'baseUrl must be an address'],
    [{ baseUrl: 'http://me:pw@host' }, 'must not contain a user name'],
    [{ apiKey: '' }, 'There is no API key'],
    [{ maxRetries: -1 }, 'maxRetries must be'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be'],
  ])('are rejected with a message: %j', (options, message) => {
    expect(() => new Touchstone({ apiKey: KEY, ...options })).toThrow(message)
  })

  it('reject ids that would address another resource', async () => {
    const { send, received } = flakyServer([])
    for (const componentId of ['', '..', undefined]) {
      const sent = send({ method: 'DELETE', path: '/components/{componentId}', params: { componentId } })
      await expect(sent).rejects.toThrow('componentId must be an id')
    }
    expect(received).toEqual([])
  })
})

function thrownBy(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
