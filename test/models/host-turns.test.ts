import { expect, it } from 'vitest'
import { createHostLimits } from '../../src/llm/host-limits.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

it('forty evaluations of one application delay a question of another by one question', async () => {
  const hostLimits = createHostLimits({ clock: { now: () => 0 } })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (application: string, owner: string) => {
    const limits = { concurrency: 1, requestsPerMinute: null }
    const turn = { host: 'a', application, owner, limits, signal: new AbortController().signal }
    return hostLimits.run(turn, () => {
      begun.push(application)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  }
  const asked = [
    ...Array.from({ length: 40 }, (_, index) => ask('greedy', `evaluation ${index}`)),
    ...[1, 2].map(() => ask('modest', 'the only one')),
  ]
  while (begun.length < asked.length || ends.length > 0) {
    await settle()
    ends.shift()?.()
  }
  await Promise.all(asked)
  expect(begun.slice(0, 5)).toEqual(['greedy', 'greedy', 'modest', 'greedy', 'modest'])
})
