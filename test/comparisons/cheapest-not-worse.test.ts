import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { infer } from '../../src/comparisons/evidence/infer.ts'
import { type CandidateVariant, cheapestNotWorse } from '../../src/comparisons/ranking/cheapest-not-worse.ts'
import { notWorseFamily } from '../../src/comparisons/ranking/not-worse-family.ts'
import { isNotWorse } from '../../src/comparisons/verdicts/verdict.ts'

/** A candidate with so many gains and losses of 100 items. */
function candidate({ gained, lost }: { gained: number; lost: number }) {
  const values = Float64Array.from({ length: 100 }, (_, item) => (item < gained ? 1 : item < gained + lost ? -1 : 0))
  const inference = infer({ values }, { kind: 'yes/no' })
  return {
    items: 100,
    groups: undefined,
    inference,
    totalRatio: null,
    higherIsBetter: true,
    scale: [0, 1] as const,
    isRatio: false,
  }
}

describe('notWorseFamily', () => {
  test('passes a candidate alone that does not pass as one of several', () => {
    const close = candidate({ gained: 6, lost: 7 })
    expect(notWorseFamily([close], 0.1)).toEqual([{ isNotWorse: true, level: 0.05 }])
    const worse = [1, 2, 3, 4].map((more) => candidate({ gained: 0, lost: 10 + more }))
    expect(notWorseFamily([close, ...worse], 0.1).map((one) => one.isNotWorse)).toEqual(new Array(5).fill(false))
  })

  test('spends only the level of this look, if looks are planned', () => {
    const close = candidate({ gained: 6, lost: 7 })
    const early = { ...close, levelFor: (alpha: number) => alpha / 100 }
    expect(notWorseFamily([close], 0.1)[0]?.isNotWorse).toBe(true)
    expect(notWorseFamily([early], 0.1)[0]?.isNotWorse).toBe(false)
  })

  test('tests those that are left at a higher level once others have passed', () => {
    const close = candidate({ gained: 6, lost: 7 })
    const clear = [5, 6, 7, 8].map((gained) => candidate({ gained: 2 * gained, lost: 0 }))
    const found = notWorseFamily([close, ...clear], 0.1)
    expect(found.map((one) => one.isNotWorse)).toEqual(new Array(5).fill(true))
    expect(found[0]?.level).toBe(0.05)
    expect(found[1]?.level).toBe(0.01)
  })

  test('is the procedure of Holm one by one, in every order', () => {
    const counts = fc.record({ gained: fc.integer({ min: 0, max: 30 }), lost: fc.integer({ min: 0, max: 30 }) })
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 4 }), (all) => {
        const candidates = all.map(candidate)
        const left = new Set(candidates)
        for (;;) {
          const next = [...left].find((one) => isNotWorse(one, 0.1, 0.05 / left.size))
          if (!next) break
          left.delete(next)
        }
        expect(notWorseFamily(candidates, 0.1).map((one) => one.isNotWorse)).toEqual(
          candidates.map((one) => !left.has(one)),
        )
      }),
      { numRuns: 30 },
    )
  })
})

const baseline = { name: 'v11', quality: { mean: 0.8, ci: [0.74, 0.85] as const }, costUsd: 0.004, latencyMs: 900 }
const question = { metric: { name: 'correct', higherIsBetter: true, isRatio: false }, margin: 0.02, items: 200 }

function variant(name: string, other: Partial<CandidateVariant> & { mean?: number } = {}): CandidateVariant {
  const { mean = 0.8, ...rest } = other
  return { name, quality: { mean, ci: null }, costUsd: 0.003, latencyMs: 900, isNotWorse: true, ...rest }
}

describe('cheapestNotWorse', () => {
  test('names the cheapest of those that are shown to be not worse, and not a cheaper one that is not', () => {
    const found = cheapestNotWorse(
      baseline,
      [
        variant('mini', { costUsd: 0.001, isNotWorse: false, mean: 0.79 }),
        variant('v12', { costUsd: 0.002 }),
        variant('v13'),
      ],
      question,
    )
    expect(found.cheapest).toBe('v12')
    expect(found.summary).toBe(
      'v12 is the cheapest that is not worse than v11 on correct by more than the margin of 0.02: it costs 0.50 × as much (corrected for 3 candidates, 200 items).',
    )
    expect(found.front.map(({ name }) => name)).toEqual(['mini', 'v12'])
  })

  test.each([
    {
      name: 'none is shown to be not worse',
      candidates: [variant('v12', { isNotWorse: false })],
      summary: 'No candidate is shown to be not worse than v11 on correct by more than the margin of 0.02 (200 items).',
    },
    {
      name: 'the baseline is cheaper',
      candidates: [variant('v12', { costUsd: 0.005 })],
      summary:
        'No candidate that is not worse than v11 on correct by more than the margin of 0.02 is known to cost less (200 items).',
    },
    {
      name: 'a cost is unknown',
      candidates: [variant('v12', { costUsd: null })],
      summary:
        'No candidate that is not worse than v11 on correct by more than the margin of 0.02 is known to cost less (200 items).',
    },
  ])('names none if $name', ({ candidates, summary }) => {
    const found = cheapestNotWorse(baseline, candidates, question)
    expect(found).toMatchObject({ cheapest: null, summary })
  })

  test('of two that cost the same, the one that is better in the rest', () => {
    const [slow, fast] = [variant('slow'), variant('fast', { latencyMs: 500 })]
    expect(cheapestNotWorse(baseline, [slow, fast], question).cheapest).toBe('fast')
    expect(cheapestNotWorse(baseline, [fast, slow], question).cheapest).toBe('fast')
  })

  test('the front has all that no other one beats, also where less is better, and those of unknown cost', () => {
    const variants = [
      variant('best', { mean: 0.9, costUsd: 0.01 }),
      variant('fast', { mean: 0.7, latencyMs: 100 }),
      variant('beaten', { mean: 0.7, latencyMs: 950 }),
      variant('unknown', { mean: 0.1, costUsd: null }),
    ]
    const names = (higherIsBetter: boolean) =>
      cheapestNotWorse(baseline, variants, { ...question, metric: { ...question.metric, higherIsBetter } }).front.map(
        ({ name }) => name,
      )
    expect(names(true)).toEqual(['v11', 'best', 'fast', 'unknown'])
    expect(names(false)).toEqual(['fast', 'unknown'])
  })

  test('each variant is on the front or beaten by one that is', () => {
    const numbers = fc.record({
      mean: fc.integer({ min: 0, max: 4 }),
      costUsd: fc.integer({ min: 0, max: 4 }),
      latencyMs: fc.integer({ min: 0, max: 4 }),
    })
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 8 }), (all) => {
        const variants = all.map((one, index) => variant(`v${index}`, one))
        const { front } = cheapestNotWorse(baseline, variants, question)
        for (const one of [baseline, ...variants]) {
          const beaten = front.some(
            (other) =>
              other.quality.mean >= one.quality.mean &&
              (other.costUsd ?? NaN) <= (one.costUsd ?? NaN) &&
              (other.latencyMs ?? NaN) <= (one.latencyMs ?? NaN),
          )
          expect(beaten).toBe(true)
        }
      }),
    )
  })
})
