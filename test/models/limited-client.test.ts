import { describe, expect, it } from 'vitest'
import type { ChatClient } from '../../src/llm/chat.ts'
import { limitedModelClient } from '../../src/llm/host-limits.ts'
import { ModelError } from '../../src/llm/model-client.ts'
import { settle } from './fake-time.ts'
import { NO_CHAT, ONE, setUp, WIDE } from './limited-work.ts'

describe('a client with limits', () => {
  const question = { system: '', user: '{}', schema: { name: 'x', schema: {} } }
  const turn = { connection: 'c', host: 'a', owner: 'x', limits: WIDE, signal: new AbortController().signal }

  it('a Retry-After holds for all requests of the connection', async () => {
    const { time, limits, work } = setUp()
    const rejecting: ChatClient = {
      ...NO_CHAT,
      complete: () => Promise.reject(new ModelError('transient', 'rate limit', { retryAfterMs: 5_000 })),
      embed: () => Promise.reject(new ModelError('transient', 'broken off')),
    }
    const client = limitedModelClient(rejecting, limits, turn)
    await expect(client.complete(question)).rejects.toThrow('rate limit')
    const other = work.askModel('other')
    await time.pass(4_999)
    expect(work.labels()).toEqual([])
    await time.pass(1)
    expect(work.labels()).toEqual(['other'])
    await work.endAll()
    await other
    // Without a Retry-After, others may try.
    await expect(client.embed({ texts: [] })).rejects.toThrow('broken off')
    const next = work.askModel('next')
    await settle()
    expect(work.labels()).toEqual(['other', 'next'])
    await work.endAll()
    await next
  })

  it('a stream has its turn until it ends', async () => {
    const { limits } = setUp()
    const begun: unknown[] = []
    const streaming: ChatClient = {
      ...NO_CHAT,
      complete: () => Promise.reject(new Error('not asked')),
      embed: () => Promise.reject(new Error('not asked')),
      async *stream({ model }) {
        begun.push(model)
        yield { type: 'text', text: 'a' }
        yield { type: 'text', text: 'b' }
      },
    }
    const client = limitedModelClient(streaming, limits, { ...turn, limits: ONE })
    const open = (model: string) => client.stream({ model, messages: [] })[Symbol.asyncIterator]()
    const [first, second] = [open('first'), open('second')]
    await first.next()
    const next = second.next()
    await settle()
    expect(begun).toEqual(['first'])
    await first.return?.()
    await next
    expect(begun).toEqual(['first', 'second'])
  })

  it('a Retry-After does not hold for another connection to the same host', async () => {
    const { limits, work } = setUp()
    const rejecting: ChatClient = {
      ...NO_CHAT,
      complete: () => Promise.reject(new ModelError('transient', 'rate limit', { retryAfterMs: 5_000 })),
      embed: () => Promise.reject(new ModelError('transient', 'rate limit', { retryAfterMs: 5_000 })),
    }
    const client = limitedModelClient(rejecting, limits, { ...turn, connection: 'of one application' })
    await expect(client.complete(question)).rejects.toThrow('rate limit')
    const other = work.askModel('other', { connection: 'of another application' })
    await settle()
    expect(work.labels()).toEqual(['other'])
    await work.endAll()
    await other
  })

  it('all connections together send at most 32 requests to a host at a time, and all are sent', async () => {
    const { work } = setUp()
    const labels = Array.from({ length: 120 }, (_, index) => `question ${index}`)
    const all = labels.map((label, index) => work.askModel(label, { connection: `connection ${index % 3}` }))
    const elsewhere = work.askModel('elsewhere', { host: 'another' })
    await settle()
    expect(work.labels()).toEqual([...labels.slice(0, 32), 'elsewhere'])
    await work.endAll()
    expect(await Promise.all(all)).toEqual(labels)
    await elsewhere
    expect(work.runningMax()).toBe(33)
  })

  it('an evaluation that fills a host delays one of another connection by one question', async () => {
    const { work } = setUp()
    const big = { connection: 'wide', owner: 'big' }
    const many = Array.from({ length: 200 }, (_, index) => work.askModel(`big ${index}`, big))
    await settle()
    const small = { connection: 'narrow', owner: 'small', rules: ONE }
    const few = [1, 2].map((index) => work.askModel(`small ${index}`, small))
    for (let count = 0; count < 2; count += 1) {
      work.ends.shift()?.()
      await settle()
    }
    expect(work.labels().slice(32)).toEqual(['big 32', 'small 1'])
    await work.endAll()
    await Promise.all([...many, ...few])
  })

  it('a connection that waits, for its minute or its provider, occupies no slot at the host', async () => {
    const { time, work } = setUp()
    const slow = { connection: 'slow', owner: 'slow', rules: { concurrency: 100, requestsPerMinute: 1 } }
    const waiting = Array.from({ length: 40 }, (_, index) => work.askModel(`slow ${index}`, slow))
    const others = Array.from({ length: 31 }, (_, index) => work.askModel(`other ${index}`, { connection: 'other' }))
    await settle()
    expect(work.labels().filter((label) => label.startsWith('slow'))).toHaveLength(1)
    expect(work.labels().filter((label) => label.startsWith('other'))).toHaveLength(31)
    for (let minutes = 0; minutes < 40; minutes += 1) {
      await work.endAll()
      await time.pass(60_000)
    }
    await work.endAll()
    await Promise.all([...waiting, ...others])
  })

  it('a request that is aborted while waiting for the host releases its slot at the connection', async () => {
    const { work } = setUp()
    const all = Array.from({ length: 32 }, (_, index) => work.askModel(`full ${index}`, { connection: 'full' }))
    const stop = new AbortController()
    const stopped = work.askModel('stopped', { connection: 'one', rules: ONE, signal: stop.signal })
    const next = work.askModel('next', { connection: 'one', rules: ONE })
    await settle()
    stop.abort()
    await expect(stopped).rejects.toThrow('The work was stopped before the model was called')
    await work.endAll()
    expect(await next).toBe('next')
    await Promise.all(all)
    expect(work.labels()).not.toContain('stopped')
  })

  it('a request that is aborted while waiting gets a ModelError, as from every client', async () => {
    const { limits } = setUp()
    const stop = new AbortController()
    const never = {
      ...NO_CHAT,
      complete: () => new Promise<never>(() => {}),
      embed: () => new Promise<never>(() => {}),
    }
    const client = limitedModelClient(never, limits, { ...turn, limits: ONE, signal: stop.signal })
    void client.complete(question)
    const waiting = client.embed({ texts: [] })
    await settle()
    stop.abort()
    await expect(waiting).rejects.toThrow(
      new ModelError('transient', 'The work was stopped before the model was called', { cause: stop.signal.reason }),
    )
    await expect(waiting).rejects.toMatchObject({ kind: 'transient' })
  })
})
