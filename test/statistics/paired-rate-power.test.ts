import { describe, expect, test } from 'vitest'
import { logChoose } from '../../src/statistics/distributions.ts'
import { pValue } from '../../src/statistics/paired/p-function.ts'
import { pairedRates } from '../../src/statistics/paired/paired-rates.ts'
import { detectablePairedRate, itemsForPairedRate, pairedRatePower } from '../../src/statistics/paired-rate-power.ts'

describe('the power of paired rates', () => {
  test('is the probability of all tables in which the test finds a gain', () => {
    const [items, gain, loss] = [24, 0.35, 0.05]
    let power = 0
    for (let gained = 0; gained <= items; gained += 1) {
      for (let lost = 0; lost <= items - gained; lost += 1) {
        const same = items - gained - lost
        const isFound = gained > lost && pValue(pairedRates({ gained, lost, items: 4 * items })) < 0.05
        if (!isFound) continue
        const ways = logChoose(items, gained) + logChoose(items - gained, lost)
        const chance = gained * Math.log(gain) + lost * Math.log(loss) + same * Math.log(1 - gain - loss)
        power += Math.exp(ways + chance)
      }
    }
    expect(pairedRatePower({ n: items, difference: 0.3, discordance: 0.4 })).toBeCloseTo(power, 10)
  })

  test('is that of the review: 13 % gained and 3 % lost of 50 and 100 items', () => {
    const of = (n: number) => pairedRatePower({ n, difference: 0.1, discordance: 0.16 }).toFixed(3)
    expect([of(50), of(100)]).toEqual(['0.398', '0.736'])
  })

  test('reaches 80 % at the detectable difference and with the items needed', () => {
    for (const n of [30, 100, 400]) {
      const difference = detectablePairedRate(n, 0.25) ?? NaN
      expect(pairedRatePower({ n, difference, discordance: 0.25 })).toBeCloseTo(0.8, 2)
      expect(Math.abs((itemsForPairedRate(difference, 0.25) ?? NaN) - n)).toBeLessThanOrEqual(n / 15)
    }
  })

  test('is Connor’s formula for many items, by hand', () => {
    // (1.959964 · √0.2 + 0.841621 · √0.1999)² / 0.0001 = 15695.4
    expect(itemsForPairedRate(0.01, 0.2)).toBe(15_696)
    expect(detectablePairedRate(10_000, 0.2)).toBeCloseTo(0.0125, 3)
  })

  test('is unknown where not even a change of all items would be found', () => {
    expect(detectablePairedRate(3, 0)).toBeUndefined()
    expect(itemsForPairedRate(0, 0.2)).toBeUndefined()
  })
})
