import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type BodyBudgetOptions, type BodyReservation, createBodyBudget } from '../../src/base/body-budget.ts'

const REJECTED = expect.objectContaining({ status: 503, headers: { 'retry-after': '1' } })

function budgetOf(options: BodyBudgetOptions) {
  const time = { ms: 0 }
  const budget = createBodyBudget({ now: () => time.ms, ...options })
  /** A body that is arriving, and whether it was dropped. */
  const arriving = (owner: string, bytes: number) => {
    const reservation = budget.open(owner)
    const body = { reservation, isDropped: false }
    reservation.onDropped(() => {
      body.isDropped = true
    })
    reservation.resize(bytes)
    return body
  }
  return { ...budget, arriving, time }
}

describe('the memory for request bodies', () => {
  it('is not exceeded, and can be used again when it was released, once', () => {
    const { arriving } = budgetOf({ bytesMax: 100 })
    const first = arriving('a', 60).reservation
    expect(() => arriving('a', 41)).toThrow(REJECTED)
    const second = arriving('a', 40).reservation
    expect(() => second.resize(41)).toThrow(REJECTED)
    first.resize(59)
    second.resize(41)
    first.release()
    first.release()
    expect(() => arriving('a', 60)).toThrow(REJECTED)
    arriving('a', 59)
  })

  it('is held by no body of which nothing has arrived', () => {
    const { open, arriving } = budgetOf({ bytesMax: 100 })
    for (let count = 0; count < 1_000; count += 1) open('silent')
    arriving('b', 100)
  })

  it('is taken from the body that has been silent for longest, also from one of the same owner', () => {
    const { arriving, time } = budgetOf({ bytesMax: 100, silentMs: 1_000 })
    const oldest = arriving('a', 40)
    time.ms = 500
    const older = arriving('a', 40)
    time.ms = 1_200
    arriving('a', 30)
    expect([oldest.isDropped, older.isDropped]).toEqual([true, false])
    expect(() => arriving('a', 40)).toThrow(REJECTED)
    time.ms = 1_600
    arriving('a', 40)
    expect(older.isDropped).toBe(true)
  })

  it('is not taken from a body that is still arriving, nor from one that has arrived', () => {
    const { arriving, time } = budgetOf({ bytesMax: 100, silentMs: 1_000 })
    const slow = arriving('a', 50)
    arriving('a', 50).reservation.complete()
    time.ms = 1_500
    slow.reservation.resize(50)
    time.ms = 2_000
    expect(() => arriving('a', 1)).toThrow(REJECTED)
    expect(slow.isDropped).toBe(false)
  })

  it('is shared: an owner with more memory than another loses a body to it', () => {
    const { arriving } = budgetOf({ bytesMax: 100 })
    const greedy = [arriving('greedy', 30), arriving('greedy', 30), arriving('greedy', 40)]
    const modest = arriving('modest', 30)
    expect(greedy.map(({ isDropped }) => isDropped)).toEqual([true, false, false])
    // Now it is 70 against 30: another 30 leave 40 against 60, which would turn it around.
    expect(() => arriving('modest', 50)).toThrow(REJECTED)
    expect(modest.isDropped).toBe(false)
    expect(() => arriving('greedy', 10)).toThrow(REJECTED)
  })
})

describe('waiting for memory', () => {
  const never = new AbortController().signal
  const long = { timeoutMs: 60_000, signal: never }
  const soon = (reservation: Promise<BodyReservation>) =>
    Promise.race([reservation.then(() => 'has memory'), setImmediate('still waiting')])

  it('ends in the order in which it began, as soon as there is memory', async () => {
    const { arriving, openInTurn } = budgetOf({ bytesMax: 100 })
    const other = arriving('a', 70).reservation
    const [first, second, small] = [openInTurn('a', 60, long), openInTurn('a', 60, long), openInTurn('a', 10, long)]
    expect(await soon(small)).toBe('still waiting')
    other.release()
    const reservation = await first
    expect(await soon(second)).toBe('still waiting')
    reservation.resize(20)
    await second
    await small
    expect(() => arriving('a', 11)).toThrow(REJECTED)
  })

  it('ends first for the owner with the fewest bytes, even if many others queued before', async () => {
    const { arriving, openInTurn } = budgetOf({ bytesMax: 100 })
    const greedy = arriving('greedy', 100).reservation
    greedy.complete()
    const many = Array.from({ length: 20 }, () => openInTurn('greedy', 60, long))
    const modest = openInTurn('modest', 60, long)
    greedy.resize(40)
    await modest
    expect(await soon(Promise.race(many))).toBe('still waiting')
  })

  it('ends with 503 after its time, and then nothing is held for it', async () => {
    const { arriving, openInTurn } = budgetOf({ bytesMax: 100 })
    const other = arriving('a', 70).reservation
    await expect(openInTurn('a', 60, { timeoutMs: 1, signal: never })).rejects.toEqual(REJECTED)
    arriving('a', 30).reservation.release()
    other.release()
    arriving('a', 100)
  })

  it('ends when a body falls silent, though nothing is released', async () => {
    const { arriving, openInTurn, time } = budgetOf({ bytesMax: 100, silentMs: 1_000 })
    const silent = arriving('a', 100)
    const waiting = openInTurn('a', 60, long)
    expect(await soon(waiting)).toBe('still waiting')
    time.ms = 2_000
    await waiting
    expect(silent.isDropped).toBe(true)
  })

  it('is denied at once to requests beyond the queue limit, and to closed connections', async () => {
    const { arriving, openInTurn } = budgetOf({ bytesMax: 100, waitingMax: 1 })
    arriving('a', 70)
    const gone = new AbortController()
    const waiting = openInTurn('a', 60, { timeoutMs: 60_000, signal: gone.signal })
    await expect(openInTurn('a', 1, long)).rejects.toEqual(REJECTED)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(openInTurn('a', 1, { timeoutMs: 1, signal: gone.signal })).rejects.toThrow('gone')
    await openInTurn('a', 1, long)
  })
})
