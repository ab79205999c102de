import { describe, expect, it } from 'vitest'
import { pairItems, type RunCase } from '../../src/comparisons/pairing/pair-items.ts'

function pass(ref: string, itemId: string | null, linkedAt = '1', traceDbId: string | null = `id of ${ref}`): RunCase {
  return { index: 0, ref, itemId, linkedAt, traceDbId, trace: null }
}

const refs = (cases: readonly RunCase[]) => cases.map(({ ref }) => ref)

describe('pairing items', () => {
  it('the k-th pass over an item is paired with the k-th, in the order of the run, and extras stay unpaired', () => {
    const baseline = [pass('a2', 'x', '2'), pass('a1', 'x', '1')]
    const candidate = [pass('b3', 'x', '3'), pass('b1', 'x', '1'), pass('b2', 'x', '2')]
    const { pairs, onlyBaseline, onlyCandidate } = pairItems({ baseline, candidate })
    expect(pairs.map(({ baseline: one, candidate: other }) => [one.ref, other.ref])).toEqual([
      ['a1', 'b1'],
      ['a2', 'b2'],
    ])
    expect([refs(onlyBaseline), refs(onlyCandidate)]).toEqual([[], ['b3']])
  })

  it('traces linked at once are in the order of their arrival, and those that have not arrived come last', () => {
    const baseline = [pass('absent', 'x', '1', null), pass('late', 'x', '1', 'id 2'), pass('soon', 'x', '1', 'id 1')]
    const candidate = [pass('b1', 'x', '1', 'id 3'), pass('b2', 'x', '1', 'id 4'), pass('b3', 'x', '1', 'id 5')]
    const { pairs } = pairItems({ baseline, candidate })
    expect(pairs.map(({ baseline: one, candidate: other }) => [one.ref, other.ref])).toEqual([
      ['soon', 'b1'],
      ['late', 'b2'],
      ['absent', 'b3'],
    ])
  })

  it('traces that meet no item pair with nothing, not even with each other, and are not lost', () => {
    const { pairs, onlyBaseline, onlyCandidate } = pairItems({
      baseline: [pass('a1', null), pass('a2', 'x')],
      candidate: [pass('b1', null), pass('b2', 'y')],
    })
    expect(pairs).toEqual([])
    expect([refs(onlyBaseline), refs(onlyCandidate)]).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ])
  })

  it('no trace is in two places, whichever items they are of', () => {
    const baseline = Array.from({ length: 50 }, (_, index) => pass(`a${index}`, index % 3 ? `item ${index % 7}` : null))
    const candidate = Array.from({ length: 80 }, (_, index) =>
      pass(`b${index}`, index % 4 ? `item ${index % 11}` : null),
    )
    const { pairs, onlyBaseline, onlyCandidate } = pairItems({ baseline, candidate })
    expect(pairs.length + onlyBaseline.length).toBe(50)
    expect(pairs.length + onlyCandidate.length).toBe(80)
    const seen = [...refs(onlyBaseline), ...refs(onlyCandidate)]
    seen.push(...pairs.flatMap((pair) => [pair.baseline.ref, pair.candidate.ref]))
    expect(new Set(seen).size).toBe(130)
    for (const { itemId, baseline: one, candidate: other } of pairs)
      expect([one.itemId, other.itemId]).toEqual([itemId, itemId])
  })
})
