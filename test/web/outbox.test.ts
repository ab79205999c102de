import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../web/src/api/api-error.ts'
import type { RunKey } from '../../web/src/api/run-query.ts'
import type { ChangeResult } from '../../web/src/pages/annotate/annotation-change.ts'
import { createOutbox, type Outbox } from '../../web/src/pages/annotate/outbox.ts'
import type { OutboxEntry } from '../../web/src/pages/annotate/outbox-contents.ts'
import { idOf } from './open-page.ts'

const RUN: RunKey = { applicationId: idOf(2), componentId: idOf(3), runId: idOf(4) }
const ADA = idOf(1)

type Send = (entry: OutboxEntry) => Promise<ChangeResult>

const opened: Outbox[] = []

function openOutbox(send: Send, userId = ADA): Outbox {
  const outbox = createOutbox({ userId, send })
  opened.push(outbox)
  return outbox
}

/** As a reload does. */
function closeAll(): void {
  for (const outbox of opened.splice(0)) outbox.stop()
}

function rate(outbox: Outbox, traceDbId: string, rating = 'right'): OutboxEntry {
  return outbox.add(RUN, { kind: 'save', traceDbId, before: { rating: null, comment: null }, rating })
}

const tracesIn = (outbox: Outbox) => outbox.entries().map(({ change }) => 'traceDbId' in change && change.traceDbId)
const failing = (status: number, retryAfterSeconds?: number) => () =>
  Promise.reject(new ApiError('No', { status, retryAfterSeconds }))
const settle = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(closeAll)

describe('outbox of ratings', () => {
  it('sends one change at a time, in order, and each once', async () => {
    const sent: string[] = []
    let running = 0
    const outbox = openOutbox(async ({ change }) => {
      running += 1
      expect(running).toBe(1)
      await Promise.resolve()
      running -= 1
      if ('traceDbId' in change) sent.push(change.traceDbId)
      return undefined
    })
    for (const trace of ['a', 'b', 'c', 'd']) rate(outbox, trace)
    expect(outbox.state()).toBe('saving')
    await settle()
    expect(sent).toEqual(['a', 'b', 'c', 'd'])
    expect(outbox.state()).toBe('saved')
    expect(localStorage.length).toBe(0)
  })

  it('a change that gets no response, 429 or 503 is sent again with the same id until it is saved', async () => {
    const send = vi.fn<Send>()
    send
      .mockImplementationOnce(failing(0))
      .mockImplementationOnce(failing(503))
      .mockImplementationOnce(failing(429, 30))
    send.mockResolvedValue(undefined)
    const outbox = openOutbox(send)
    rate(outbox, 'a')
    rate(outbox, 'b')
    await settle()
    expect(outbox.state()).toBe('offline')
    await vi.advanceTimersByTimeAsync(1000)
    expect(send).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(2000)
    expect(send).toHaveBeenCalledTimes(3)
    // The Retry-After of the server.
    await vi.advanceTimersByTimeAsync(29_000)
    expect(send).toHaveBeenCalledTimes(3)
    await vi.advanceTimersByTimeAsync(1000)
    expect(outbox.state()).toBe('saved')
    const ids = send.mock.calls.map(([{ id }]) => id)
    expect(new Set(ids.slice(0, 4)).size).toBe(1)
    expect(new Set(ids).size).toBe(2)
  })

  it('a restored connection ends the waiting', async () => {
    const send = vi.fn<Send>(failing(0))
    const outbox = openOutbox(send)
    rate(outbox, 'a')
    await settle()
    send.mockResolvedValue(undefined)
    window.dispatchEvent(new Event('online'))
    await settle()
    expect(outbox.state()).toBe('saved')
  })

  it('unsaved changes are sent after a reload, in the same order', async () => {
    const before = openOutbox(failing(0))
    for (const trace of ['a', 'b', 'c']) rate(before, trace)
    await settle()
    closeAll()
    const sent: unknown[] = []
    const after = openOutbox(async ({ id, change }) => {
      sent.push({ id, change })
      return undefined
    })
    expect(after.entries()).toHaveLength(3)
    await settle()
    expect(sent).toEqual(before.entries().map(({ id, change }) => ({ id, change })))
    expect(after.state()).toBe('saved')
  })

  it('another user of the same browser neither sees nor sends it', async () => {
    rate(openOutbox(failing(0)), 'a')
    await settle()
    closeAll()
    const send = vi.fn<Send>()
    expect(openOutbox(send, idOf(9)).entries()).toEqual([])
    await settle()
    expect(send).not.toHaveBeenCalled()
  })

  it('a rejected change is kept with its message, and the others continue', async () => {
    const outbox = openOutbox(async ({ change }) => {
      if ('traceDbId' in change && change.traceDbId === 'a') throw new ApiError('Not a rating', { status: 400 })
      return undefined
    })
    const rejected = vi.fn()
    outbox.onRejected(rejected)
    rate(outbox, 'a')
    rate(outbox, 'b')
    await settle()
    expect(outbox.entries().map(({ rejection }) => rejection?.message)).toEqual(['Not a rating'])
    expect(rejected).toHaveBeenCalledTimes(1)
    // Also after a reload, until the user rates it again or has read it.
    closeAll()
    const again = openOutbox(async () => undefined)
    expect(tracesIn(again)).toEqual(['a'])
    rate(again, 'a', 'wrong')
    await settle()
    expect(again.entries()).toEqual([])
  })

  it('a first conflict may come from an earlier request that still runs; a second one is final', async () => {
    const send = vi.fn<Send>(failing(409))
    const outbox = openOutbox(send)
    rate(outbox, 'a')
    await settle()
    expect(outbox.state()).toBe('saving')
    await vi.advanceTimersByTimeAsync(1000)
    expect(send).toHaveBeenCalledTimes(2)
    expect(outbox.entries()[0]?.rejection?.status).toBe(409)
  })

  it('only a change that was never sent can be withdrawn', async () => {
    const outbox = openOutbox(failing(0))
    const first = rate(outbox, 'a')
    const second = rate(outbox, 'b')
    await settle()
    expect(outbox.withdraw(first.id)).toBe(false)
    expect(outbox.withdraw(second.id)).toBe(true)
    expect(tracesIn(outbox)).toEqual(['a'])
    closeAll()
    const reloaded = openOutbox(failing(0))
    expect(reloaded.withdraw(first.id)).toBe(false)
  })

  it('an expired session stops the sending and loses nothing', async () => {
    const send = vi.fn<Send>(failing(401))
    const outbox = openOutbox(send)
    rate(outbox, 'a')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(send).toHaveBeenCalledTimes(1)
    closeAll()
    expect(tracesIn(openOutbox(async () => undefined))).toEqual(['a'])
  })

  it('if the browser cannot store a change, leaving the page asks for confirmation', async () => {
    const setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    vi.stubGlobal('localStorage', { setItem, removeItem: () => undefined, clear: () => undefined })
    const send = vi.fn<Send>(failing(0))
    const outbox = openOutbox(send)
    rate(outbox, 'a')
    await settle()
    const leaves = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
    expect(leaves()).toBe(false)
    send.mockResolvedValue(undefined)
    outbox.retry()
    await settle()
    expect(leaves()).toBe(true)
  })
})
