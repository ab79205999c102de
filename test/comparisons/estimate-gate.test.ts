import { describe, expect, it } from 'vitest'
import { itemsFor } from '../../src/comparisons/verdicts/gate-items.ts'
import { lowerEnd } from '../../src/statistics/paired/p-function.ts'
import { pairedRates } from '../../src/statistics/paired/paired-rates.ts'
import { nextBinomial } from '../../src/statistics/random/random-binomial.ts'
import { seededRandom } from '../../src/statistics/random/seeded-random.ts'

describe('the items that a gate needs', () => {
  const passes = 'pass in about 80 of 100 attempts if nothing changed: %o'
  it.each([{ discordance: 0.05, margin: 0.05 }])(passes, expectPower)
  it.each([
    { discordance: 0.18, margin: 0.03 },
    { discordance: 0.18, margin: 0.05 },
    { discordance: 0.5, margin: 0.1 },
  ])(passes, { tags: 'deep' }, expectPower)

  function expectPower({ discordance, margin }: { discordance: number; margin: number }): void {
    const n = itemsFor({ margin, standardDeviation: Math.sqrt(discordance), scale: [0, 1] }) ?? 0
    const random = seededRandom(`${discordance} ${margin}`)
    const attempts = 1_000
    let passed = 0
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const onlyBaseline = nextBinomial(random, n, discordance / 2)
      const onlyCandidate = nextBinomial(random, n - onlyBaseline, discordance / 2 / (1 - discordance / 2))
      const low = lowerEnd(pairedRates({ gained: onlyCandidate, lost: onlyBaseline, items: n }))
      if (low > -margin) passed += 1
    }
    expect(passed / attempts).toBeGreaterThan(0.74)
    expect(passed / attempts).toBeLessThan(0.88)
  }

  it('are never fewer than a margin needs at all, and unknown without a margin or a spread', () => {
    const standardDeviation = 0
    expect(itemsFor({ margin: 0.5, standardDeviation, scale: [0, 1] })).toBe(30)
    expect(itemsFor({ margin: 0, standardDeviation, scale: [0, 1] })).toBeNull()
    expect(itemsFor({ margin: null, standardDeviation, scale: null })).toBeNull()
    expect(itemsFor({ margin: 0.1, standardDeviation: undefined, scale: [0, 1] })).toBeNull()
  })
})
