import { describe, expect, it } from 'vitest'
import { measureValidation } from '../../src/experiments/runner/measure-validation.ts'
import { chooseFinalists } from '../../src/experiments/search/choose-finalists.ts'
import { exactMcNemar } from '../../src/statistics/paired-tests.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { followsRule, itemsWithRules, proposeRule, type SimulatedEnd, simulate } from './simulated-search.ts'

const SEEDS = 100

function finalistOf({ search }: SimulatedEnd): number | undefined {
  return chooseFinalists(search, { count: 1, whyNot: () => undefined, tieBreak: () => 0 })[0]
}

describe('the search for a better prompt', () => {
  it('finds six hidden rules within 300 calls in 95 of 100 seeds, by reflections of which half are nonsense', () => {
    const test = itemsWithRules('t', 60)
    const ends = Array.from({ length: SEEDS }, (_, seed) => {
      const train = itemsWithRules('r', 18)
      const validation = itemsWithRules('v', 12)
      const end = simulate({ seed, train, validation, maxCalls: 300, answer: followsRule, propose: proposeRule })
      const prompt = end.prompts.get(finalistOf(end) ?? 0) ?? ''
      return { calls: end.calls, rate: test.filter((item) => followsRule(prompt, item) === 1).length / test.length }
    })
    expect(Math.max(...ends.map(({ calls }) => calls))).toBeLessThanOrEqual(300)
    expect(ends.filter(({ rate }) => rate >= 0.9).length).toBeGreaterThanOrEqual(95)
  })

  it('does not pay for the whole validation of a candidate that cannot reach its parent', () => {
    const validation = itemsWithRules('v', 50)
    const { search, end } = simulate({
      seed: 1,
      train: itemsWithRules('r', 18),
      validation,
      maxCalls: 1_000,
      // Right on what it was made for, and on nothing else.
      answer: (prompt, item) =>
        Number(prompt === '' ? item.includes('v') && !item.startsWith('a') : item.includes('r')),
      propose: (prompt, _cases, random) => `${prompt} ${nextRandom(random)}`,
      settings: { patience: 3 },
    })
    const dropped = search.candidates.filter(({ fate }) => fate === 'worse')
    expect(end).toBe('patience')
    expect(dropped.length).toBeGreaterThan(0)
    for (const { number } of dropped) {
      const answers = validation.filter((item) => search.valueFor(number, item) !== undefined)
      expect(answers.length).toBeLessThanOrEqual(20)
    }
  })

  it('calls the finalist improved on new items in at most 5 of 100 seeds if no prompt matters, and promises no more than it keeps', {
    tags: 'deep',
  }, async () => {
    const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, place) => `${prefix}${place}`)
    let improved = 0
    const promises: number[] = []
    const differences: number[] = []
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const end = simulate({
        seed,
        train: ids('r', 60),
        validation: ids('v', 50),
        maxCalls: 2_000,
        answer: (_prompt, _item, random) => Number(nextRandom(random) < 0.7),
        propose: (prompt, _cases, random) => `${prompt} ${Math.floor(nextRandom(random) * 1e9)}`,
      })
      const { start, best, expectedOnNew } = await measureValidation(end.search)
      if (start !== null && best && best.number > 0) differences.push(best.mean - start)
      if (expectedOnNew) promises.push(expectedOnNew.difference)
      if (finalistOf(end) === undefined) continue
      const random = seededRandom(`test ${seed}`)
      const pairs = ids('t', 100).map(() => [nextRandom(random) < 0.7, nextRandom(random) < 0.7])
      const gained = pairs.filter(([before, after]) => !before && after).length
      const lost = pairs.filter(([before, after]) => before && !after).length
      if (gained > lost && exactMcNemar({ gained, lost }).p < 0.05) improved += 1
    }
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    expect(improved).toBeLessThanOrEqual(5)
    // On the items that chose it, the best looks better by more than a tenth.
    expect(mean(differences)).toBeGreaterThan(0.1)
    expect(Math.abs(mean(promises))).toBeLessThan(0.05)
  })
})
