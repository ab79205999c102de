import { describe, expect, it } from 'vitest'
import { ApiError } from '../../web/src/api/api-error.ts'
import {
  addEntry,
  allowSending,
  confirmEntry,
  contentsOf,
  markSent,
  type OutboxEntry,
  recordFailure,
  removeEntry,
  retryDelayMs,
  stateOf,
} from '../../web/src/pages/annotate/outbox-contents.ts'
import { idOf } from './open-page.ts'

const run = { applicationId: idOf(2), componentId: idOf(3), runId: idOf(4) }

function ratingOf(traceDbId: string, id = traceDbId): OutboxEntry {
  return { id, run, change: { kind: 'save', traceDbId, before: { rating: null, comment: null }, rating: 'right' } }
}

const ONE = addEntry(contentsOf([]), ratingOf('a'))
const responding = (status: number, retryAfterSeconds?: number) => new ApiError('No', { status, retryAfterSeconds })

describe('contents of the outbox', () => {
  it('are saved only when nothing waits', () => {
    expect(stateOf(contentsOf([]))).toBe('saved')
    expect(stateOf(ONE)).toBe('saving')
    expect(stateOf(confirmEntry(ONE, 'a'))).toBe('saved')
    expect(stateOf(removeEntry(ONE, 'a'))).toBe('saved')
  })

  it('remember what the server may have', () => {
    expect(markSent(ONE, 'a').entries).toEqual([{ ...ratingOf('a'), wasSent: true }])
  })

  it('keep an entry that may be saved later, and wait longer after each failure', () => {
    const failed = recordFailure(ONE, 'a', responding(503))
    expect([stateOf(failed), failed.entries]).toEqual(['offline', ONE.entries])
    const delays = [failed, recordFailure(failed, 'a', responding(0))].map((one) => retryDelayMs(one, responding(503)))
    expect(delays).toEqual([1000, 2000])
    expect(retryDelayMs({ ...failed, failures: 20 }, responding(503))).toBe(15_000)
    expect(retryDelayMs(failed, responding(429, 40))).toBe(40_000)
  })

  it('a success ends the outage', () => {
    const two = addEntry(recordFailure(ONE, 'a', responding(503)), ratingOf('b'))
    expect(stateOf(confirmEntry(two, 'a'))).toBe('saving')
  })

  it('keep a rejected entry with its message, until the trace is changed again', () => {
    const rejected = recordFailure(ONE, 'a', responding(400))
    expect(rejected.entries).toEqual([{ ...ratingOf('a'), rejection: { status: 400, message: 'No' } }])
    expect(stateOf(rejected)).toBe('saved')
    expect(addEntry(rejected, ratingOf('b')).entries).toHaveLength(2)
    expect(addEntry(rejected, ratingOf('a', 'again')).entries).toEqual([ratingOf('a', 'again')])
  })

  it('a first conflict is sent again, a second one is final', () => {
    const once = recordFailure(ONE, 'a', responding(409))
    expect([once.failures, once.entries]).toEqual([0, ONE.entries])
    expect(recordFailure(once, 'a', responding(409)).entries).toMatchObject([{ rejection: { status: 409 } }])
  })

  it('an ended session is no failure; sending is allowed again after signing in', () => {
    const signedOut = recordFailure(ONE, 'a', responding(401))
    expect([signedOut.isSignedOut, signedOut.failures, signedOut.entries]).toEqual([true, 0, ONE.entries])
    expect(allowSending(signedOut).isSignedOut).toBe(false)
  })
})
