import { describe, expect, it } from 'vitest'
import { createFairShare } from '../../src/http/fair-share.ts'

type Work = (caller: string) => Promise<void>

/** Sends requests of callers at once; returns the callers in the order in which their requests started. */
async function startsOf(callers: readonly string[], share: ReturnType<typeof createFairShare>, work?: Work) {
  const started: string[] = []
  const serve = async (caller: string) => {
    const place = share(caller)
    await place.enter()
    started.push(caller)
    await work?.(caller)
    place.leave()
  }
  await Promise.all(callers.map(serve))
  return started
}

const GREEDY = Array<string>(100).fill('greedy')

describe('a share of the main thread', () => {
  it('a request of another caller starts next, before a hundred that came earlier', async () => {
    const started = await startsOf([...GREEDY, 'other', 'third'], createFairShare({ turnMs: 0 }))
    expect(started).toHaveLength(102)
    expect(started.indexOf('other')).toBeLessThanOrEqual(3)
    expect(started.indexOf('third')).toBeLessThanOrEqual(4)
  })

  it('a caller has no more requests in progress than the limit, and all of them end', async () => {
    let inProgress = 0
    let most = 0
    const started = await startsOf(GREEDY, createFairShare({ inProgressMax: 4, turnMs: 1_000 }), async () => {
      inProgress += 1
      most = Math.max(most, inProgress)
      await new Promise((resolve) => setImmediate(resolve))
      inProgress -= 1
    })
    expect([started.length, most, inProgress]).toEqual([100, 4, 0])
  })

  it('requests in progress of one caller do not keep another one from starting', async () => {
    const share = createFairShare({ inProgressMax: 2, turnMs: 1_000 })
    const blocked = Promise.withResolvers<void>()
    const greedy = startsOf(GREEDY, share, () => blocked.promise)
    expect(await startsOf(['other', 'other', 'other'], share)).toHaveLength(3)
    blocked.resolve()
    expect(await greedy).toHaveLength(100)
  })

  it('one anonymous request starts in a turn while there are others, which start in the same turn', async () => {
    const share = createFairShare({ turnMs: 1_000, sharedForMs: 60_000 })
    const turns: number[] = []
    let turn = 0
    const serve = async (caller: string, isAnonymous: boolean) => {
      const place = share(caller, { isAnonymous })
      await place.enter()
      if (isAnonymous) turns.push(turn)
      place.leave()
    }
    const count = () => {
      turn += 1
      if (turns.length < 40) setImmediate(count)
    }
    setImmediate(count)
    const anonymous = Array.from({ length: 40 }, (_, place) => serve(place % 2 === 0 ? 'address' : 'other', true))
    const key = serve('key', false).then(() => turn)
    await Promise.all(anonymous)
    expect(new Set(turns).size).toBe(turns.length)
    expect(await key).toBeLessThanOrEqual(1)
  })

  it('one request of a caller with a long queue starts in a turn while there are others', async () => {
    const share = createFairShare({ inProgressMax: 2, turnMs: 1_000, sharedForMs: 60_000 })
    await startsOf(['other'], share)
    const turns: number[] = []
    let turn = 0
    const blocked = Promise.withResolvers<void>()
    const greedy = startsOf(GREEDY, share, async () => {
      turns.push(turn)
      if (turns.length <= 2) await blocked.promise
    })
    const count = () => {
      turn += 1
      if (turns.length < GREEDY.length) setImmediate(count)
    }
    setImmediate(count)
    blocked.resolve()
    await greedy
    const ofLongQueue = turns.slice(2, 80)
    expect(new Set(ofLongQueue).size).toBe(ofLongQueue.length)
  })

  it('a request beyond the queue of its caller is 429 with Retry-After; others still enter', async () => {
    const share = createFairShare({ inProgressMax: 1, waitingMax: 2 })
    const places = [share('greedy'), share('greedy'), share('greedy')]
    const entering = places.map((place) => place.enter())
    await expect(share('greedy').enter()).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    await share('other').enter()
    for (const [index, place] of places.entries()) {
      await entering[index]
      place.leave()
    }
    await share('greedy').enter()
  })

  it('a request whose body is arriving leaves its place to another one, and takes one again afterwards', async () => {
    const share = createFairShare({ inProgressMax: 1 })
    const [first, second] = [share('key'), share('key')]
    await first.enter()
    const body = Promise.withResolvers<string>()
    const received = first.leaveUntilReceived({ complete: false }, body.promise)
    await second.enter()
    body.resolve('body')
    let hasReceived = false
    void received.then(() => {
      hasReceived = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasReceived).toBe(false)
    second.leave()
    expect(await received).toBe('body')
  })
})
