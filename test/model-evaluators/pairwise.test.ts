import { describe, expect, it } from 'vitest'
import type { AskedRequest } from '../harness/model-server.ts'
import { createJudge, startJudging } from './judging.ts'

const fields = ({ user }: AskedRequest): Record<string, string> => JSON.parse(user)
/** Judges by what the answers say. */
const preferring = (better: string) => (request: AskedRequest) => {
  const { first, second } = fields(request)
  return { reason: `${better} is better`, winner: first === better ? 'first' : second === better ? 'second' : 'tie' }
}
/** Judges by where the answers stand. */
const always = (winner: string) => () => ({ reason: 'it stands there', winner })
const parts = { input: 'q', output: 'new', baseline: 'old', expected: 'gold' }

describe('pairwise', () => {
  it('each answer is first once, and an output that wins in both orders gets 1', async () => {
    const { judge, shown } = await startJudging(createJudge('pairwise', {}), { answer: preferring('new') })
    expect(await judge(parts)).toEqual({
      state: 'scored',
      score: 1,
      label: 'output',
      reason: 'new is better',
      details: {
        isConsistent: true,
        orders: [
          { first: 'output', winner: 'output', reason: 'new is better' },
          { first: 'baseline', winner: 'output', reason: 'new is better' },
        ],
      },
    })
    expect(shown()).toEqual([
      { input: 'q', first: 'new', second: 'old' },
      { input: 'q', first: 'old', second: 'new' },
    ])
  })

  it('an output that loses in both orders gets 0', async () => {
    const { judge } = await startJudging(createJudge('pairwise', {}), { answer: preferring('old') })
    expect(await judge(parts)).toMatchObject({ score: 0, details: { isConsistent: true } })
  })

  it.each(['first', 'second'])('a judge that always prefers the %s place has seen no difference', async (place) => {
    const { judge } = await startJudging(createJudge('pairwise', {}), { answer: always(place) })
    const verdict = await judge(parts)
    expect(verdict).toMatchObject({ score: 0.5, label: 'order', details: { isConsistent: false } })
    expect(verdict.reason).toMatch(/^The judge changed its mind with the order: /)
  })

  it('a tie is 0.5, and a win that is a tie in the other order lies between', async () => {
    const tie = await startJudging(createJudge('pairwise', {}), { answer: always('tie') })
    expect(await tie.judge(parts)).toMatchObject({ score: 0.5, label: 'tie', details: { isConsistent: true } })
    const half = await startJudging(createJudge('pairwise', {}), {
      answer: (request) => ({ reason: '', winner: fields(request).first === 'new' ? 'first' : 'tie' }),
    })
    expect(await half.judge(parts)).toMatchObject({ score: 0.75, details: { isConsistent: false } })
  })

  it('compares with the expected value if configured', async () => {
    const evaluator = createJudge('pairwise', { against: 'expected' })
    expect(evaluator.needs).toEqual(['output', 'expected', 'model'])
    const { judge, shown } = await startJudging(evaluator, { answer: preferring('gold') })
    expect(await judge(parts)).toMatchObject({
      score: 0,
      details: { orders: [{}, { first: 'expected', winner: 'expected' }] },
    })
    expect(shown()[0]).toMatchObject({ first: 'new', second: 'gold' })
  })

  it('equal answers are a tie, and a case without baseline is skipped: no request is sent', async () => {
    const evaluator = createJudge('pairwise', {})
    expect(evaluator.needs).toEqual(['output', 'baseline', 'model'])
    const { judge, server } = await startJudging(evaluator, { answer: always('first') })
    expect(await judge({ output: 'same', baseline: 'same' })).toMatchObject({ state: 'scored', score: 0.5 })
    expect(await judge({ output: '', baseline: null })).toEqual({
      state: 'skipped',
      reason: 'the run to compare with has no output for this item',
    })
    expect(server.requests).toHaveLength(0)
  })
})
