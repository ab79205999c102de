/** What must hold of a comparison of any two runs. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Metric, plainColumn } from '../../src/comparisons/pairing/compared-metrics.ts'
import { measureItems } from '../../src/comparisons/pairing/measure-items.ts'
import { pairItems, type RunCase } from '../../src/comparisons/pairing/pair-items.ts'
import { type ComparisonRow, orderRows, toComparisonRows } from '../../src/comparisons/rows/comparison-rows.ts'
import { comparePairs, judge, METRIC, type ValuePair } from './compare-pairs.ts'

const RUNS = { numRuns: 60 }

const score = fc.oneof(
  fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
  fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true }),
  // Of these the square or the cube is 0, or has lost its digits.
  fc.constantFrom(1e-110, 3.1434555694052576e-162, 1e-200, 5e-324),
)
const bit = fc.constantFrom(0, 1)

function pairsOf(value: fc.Arbitrary<number>): fc.Arbitrary<ValuePair[]> {
  const values = fc.array(fc.record({ baseline: value, candidate: value }), { maxLength: 40 })
  return values.map((all) => all.map((pair, place) => ({ itemId: `item ${100 + place}`, ...pair })))
}

const pairs = fc.oneof(pairsOf(score), pairsOf(bit))
const unit = { kind: null, scale: [0, 1] as const }

describe('a metric', () => {
  it('mirrors everything if the two runs change places', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, fc.boolean(), async (given, higherIsBetter) => {
        const turned = given.map(({ itemId, baseline, candidate }) => ({
          itemId,
          baseline: candidate,
          candidate: baseline,
        }))
        const options = { ...unit, higherIsBetter }
        const there = judge(await comparePairs(given, options), { higherIsBetter })
        const back = judge(await comparePairs(turned, options), { higherIsBetter })
        const words: Record<string, string> = { improved: 'regressed', regressed: 'improved' }
        expect([back.wins, back.ties, back.losses]).toEqual([there.losses, there.ties, there.wins])
        expect([back.baseline, back.candidate]).toEqual([there.candidate, there.baseline])
        expect(back.verdict).toBe(words[there.verdict] ?? there.verdict)
        expect(back.power.casesFor?.cases).toBe(there.power.casesFor?.cases)
        expect(back.test?.pAdjusted).toBe(there.test?.pAdjusted)
        expect((back.difference ?? 0) + (there.difference ?? 0)).toBeCloseTo(0, 12)
        expect((back.ci?.[0] ?? 0) + (there.ci?.[1] ?? 0)).toBeCloseTo(0, 12)
        expect((back.ci?.[1] ?? 0) + (there.ci?.[0] ?? 0)).toBeCloseTo(0, 12)
      }),
      { ...RUNS, examples: [[[pairOf(0, 0, 0), pairOf(1, 0, 3.1434555694052576e-162)], false]] },
    )
  })

  it('does not depend on the order in which a database happens to answer', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, fc.integer(), async (given, seed) => {
        const options = { ...unit, higherIsBetter: true }
        const shuffled = given.toSorted((a, b) => scrambled(a, seed) - scrambled(b, seed))
        const one = judge(await comparePairs(given, options))
        const other = judge(await comparePairs(shuffled, options))
        expect(other.verdict).toBe(one.verdict)
        expect([other.wins, other.ties, other.losses, other.n, other.items]).toEqual([
          one.wins,
          one.ties,
          one.losses,
          one.n,
          one.items,
        ])
        expect(other.difference ?? 0).toBeCloseTo(one.difference ?? 0, 12)
        expect(other.ci?.[0] ?? 0).toBeCloseTo(one.ci?.[0] ?? 0, 9)
        expect(other.ci?.[1] ?? 0).toBeCloseTo(one.ci?.[1] ?? 0, 9)
        expect(other.test?.p ?? 1).toBeCloseTo(one.test?.p ?? 1, 9)
      }),
      RUNS,
    )
  })

  it('adds up: wins, ties and losses are all pairs, the difference is inside its interval, and a verdict agrees with it', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, fc.boolean(), async (given, higherIsBetter) => {
        const options = { ...unit, higherIsBetter }
        const judged = judge(await comparePairs(given, options), { higherIsBetter })
        const { wins, ties, losses, n, items, ci, difference, verdict, test } = judged
        expect(wins + ties + losses).toBe(given.length)
        expect([n, items]).toEqual([given.length, given.length])
        if (ci !== null && difference !== null) {
          expect(ci[0]).toBeLessThanOrEqual(difference + 1e-12)
          expect(ci[1]).toBeGreaterThanOrEqual(difference - 1e-12)
        }
        if (items < 10) expect(verdict).toBe('tooFewCases')
        if (verdict === 'improved') expect((difference ?? 0) * (higherIsBetter ? 1 : -1)).toBeGreaterThan(0)
        if (verdict === 'regressed') expect((difference ?? 0) * (higherIsBetter ? 1 : -1)).toBeLessThan(0)
        if (verdict === 'improved' || verdict === 'regressed') expect(test?.pAdjusted).toBeLessThan(0.05)
      }),
      RUNS,
    )
  })

  it('that is a share of preferences excludes ½ exactly if its p does, with groups, looks and missing items', async () => {
    const shares = fc.array(fc.constantFrom(0, 0.25, 0.5, 0.75, 1), { minLength: 2, maxLength: 40 })
    const options = fc.record({ isGrouped: fc.boolean(), isSequential: fc.boolean(), missing: fc.nat({ max: 3 }) })
    await fc.assert(
      fc.asyncProperty(shares, options, async (given, { isGrouped, isSequential, missing }) => {
        const items = given.map((candidate, place) => pairOf(place, 0.5, candidate))
        const groupOf = isGrouped ? (itemId: string) => itemId.slice(0, -1) : undefined
        const none = { baseline: undefined, candidate: undefined }
        const incomplete = Array.from({ length: missing }, (_, place) => ({ itemId: `missing ${place}`, ...none }))
        const preference = { ...unit, higherIsBetter: true, isPreference: true }
        const evidence = await comparePairs(items, { ...preference, groupOf, isSequential }, incomplete)
        const { ci, marginCi, candidate, test } = judge(evidence, preference)
        const isExcluded = ci !== null && (ci[0] > 0 || ci[1] < 0)
        expect(isExcluded).toBe((test?.pAdjusted ?? 1) < 0.05)
        expect(candidate.ci).toEqual(ci && [0.5 + ci[0], 0.5 + ci[1]])
        for (const end of [...(ci ?? []), ...(marginCi ?? [])]) expect(Math.abs(end)).toBeLessThanOrEqual(0.5)
      }),
      RUNS,
    )
  })

  it('that keeps a margin keeps every larger one, and too few cases keep none', async () => {
    const margins = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(pairs, margins, fc.boolean(), async (given, unsorted, higherIsBetter) => {
        const options = { ...unit, higherIsBetter }
        const evidence = await comparePairs(given, options)
        const sorted = unsorted.toSorted((a, b) => a - b)
        const kept = sorted.map((margin) => Number(judge(evidence, { higherIsBetter }, { margin }).notWorseThanMargin))
        expect(kept).toEqual(kept.toSorted((a, b) => a - b))
        const { verdict } = judge(evidence, { higherIsBetter })
        if (verdict === 'tooFewCases') expect(kept).not.toContain(1)
      }),
      RUNS,
    )
  })

  it('is not called changed more often than one time in twenty, if nothing changed', async () => {
    const random = fc.sample(fc.array(fc.tuple(score, score), { minLength: 40, maxLength: 40 }), {
      numRuns: 100,
      seed: 7,
    })
    let changed = 0
    for (const [index, values] of random.entries()) {
      const given = values.map(([one, other], item) => {
        // Exchanged as by the toss of a coin: whichever differences there are, they are around 0.
        const isTurned = scrambled({ itemId: `${index} ${item}`, baseline: 0, candidate: 0 }, 3) % 2 < 1
        return isTurned ? pairOf(item, other, one) : pairOf(item, one, other)
      })
      const { verdict } = judge(await comparePairs(given, { ...unit, higherIsBetter: true }))
      if (verdict === 'improved' || verdict === 'regressed') changed += 1
    }
    // Of 100 with a chance of 0.05 each, 13 or more come once in six hundred times.
    expect(changed).toBeLessThan(13)
  })
})

function pairOf(item: number, baseline: number, candidate: number): ValuePair {
  return { itemId: `item ${String(item).padStart(3, '0')}`, baseline, candidate }
}

/** A number that has nothing to do with the order of what it is made of. */
function scrambled({ itemId, baseline, candidate }: ValuePair, seed: number): number {
  let hash = seed | 0
  for (const character of `${itemId} ${baseline} ${candidate}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  }
  return (hash ^ (hash >>> 15)) >>> 0
}

describe('the rows', () => {
  const itemId = fc.option(
    fc.integer({ min: 0, max: 12 }).map((number) => `item ${number}`),
    { nil: null },
  )
  const side = (name: string) =>
    fc
      .array(fc.record({ itemId, score: fc.option(score, { nil: null }), linkedAt: fc.constantFrom('1', '2') }), {
        maxLength: 25,
      })
      .map((drawn) =>
        drawn.map(({ score: given, ...rest }, index) => ({
          score: given,
          one: { ...rest, index, ref: `${name}${index}`, traceDbId: null, trace: null } satisfies RunCase,
        })),
      )

  it('are every trace once, in one stable order, regressions first, and pages of any size join to the whole', async () => {
    await fc.assert(
      fc.asyncProperty(side('a'), side('b'), fc.integer({ min: 1, max: 7 }), async (before, after, limit) => {
        const column = (drawn: typeof before) => plainColumn(({ index }) => drawn[index]?.score ?? undefined)
        const metric: Metric = { ...METRIC, baseline: column(before), candidate: column(after) }
        const read = async (turn: 'forwards' | 'backwards') => {
          const cases = (drawn: typeof before) => {
            const all = drawn.map(({ one }) => one)
            return turn === 'forwards' ? all : all.reverse()
          }
          const paired = pairItems({ baseline: cases(before), candidate: cases(after) })
          const { gains } = await measureItems(metric, paired)
          return { paired, rows: orderRows(paired, [gains]) }
        }
        const { paired, rows } = await read('forwards')
        const whole = toComparisonRows(rows, [metric])
        expect(whole).toHaveLength(paired.pairs.length + paired.onlyBaseline.length + paired.onlyCandidate.length)
        const seen = whole.flatMap((row) => [row.baselineTraceId, row.candidateTraceId]).filter((id) => id !== null)
        expect(seen.toSorted()).toEqual([...before, ...after].map(({ one }) => one.ref).sort())
        expect(toComparisonRows((await read('backwards')).rows, [metric])).toEqual(whole)
        const joined: ComparisonRow[] = []
        for (let offset = 0; offset < whole.length + limit; offset += limit)
          joined.push(...toComparisonRows(rows.slice(offset, offset + limit), [metric]))
        expect(joined).toEqual(whole)
        const isWorse = whole.map(({ scores }) => scores.some(({ delta }) => delta !== null && delta < 0))
        expect(isWorse).toEqual(isWorse.toSorted((a, b) => Number(b) - Number(a)))
      }),
      RUNS,
    )
  })
})
