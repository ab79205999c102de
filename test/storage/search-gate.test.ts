import { describe, expect, it } from 'vitest'
import { SearchGate } from '../../src/storage/search-gate.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

function setUp(runningMax: number, runningMaxEach: number) {
  const gate = new SearchGate({ runningMax, runningMaxEach })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const search = (application: string, signal = new AbortController().signal) =>
    gate.run(application, signal, () => {
      begun.push(application)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  return { begun, ends, search }
}

describe('the gate of searches', () => {
  it('leaves room for another application, however many slow searches one sends', async () => {
    const { begun, search } = setUp(2, 1)
    const many = Array.from({ length: 66 }, () => search('greedy').catch((error: unknown) => error))
    void search('modest')
    await settle()
    expect(begun).toEqual(['greedy', 'modest'])
    const refused = await Promise.all(many.slice(9))
    for (const error of refused) expect(error).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
  })

  it('lets applications take turns', async () => {
    const { begun, ends, search } = setUp(1, 1)
    for (const application of ['a', 'a', 'a', 'b', 'b', 'c']) void search(application)
    for (let count = 0; count < 6; count += 1) {
      await settle()
      ends.shift()?.()
    }
    await settle()
    // The second began to wait before there was anybody else.
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
  })

  it('forgets a search whose client has left before it began', async () => {
    const { begun, ends, search } = setUp(1, 1)
    void search('a')
    const leaving = new AbortController()
    const left = search('b', leaving.signal).catch((error: unknown) => error)
    leaving.abort()
    expect(await left).toMatchObject({ status: 503 })
    void search('c')
    await settle()
    ends.shift()?.()
    await settle()
    expect(begun).toEqual(['a', 'c'])
  })
})
