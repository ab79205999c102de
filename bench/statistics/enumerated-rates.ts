/** Paired rates: all samples are enumerated, so that the figures have no sampling error. */

import { logChoose } from '../../src/statistics/distributions.ts'
import { pValue } from '../../src/statistics/paired/p-function.ts'
import { pairedRates } from '../../src/statistics/paired/paired-rates.ts'
import type { Cell, Figures } from './simulated-cell.ts'

/** The shares of items that are gained and lost. */
type Rates = { readonly up: number; readonly down: number }

const SIZES = [10, 30, 100, 300]

const WORLDS: (Rates & { name: string; sizes?: readonly number[] })[] = [
  { name: '0.5 twice, 25 % differ', up: 0.125, down: 0.125 },
  { name: '0.95 twice', up: 0.0475, down: 0.0475 },
  { name: '0.98 twice', up: 0.0196, down: 0.0196 },
  { name: '0.95 to 0.90', up: 0.045, down: 0.095 },
  { name: '5 % break', up: 0, down: 0.05 },
  { name: '13 % gained, 3 % lost', up: 0.13, down: 0.03, sizes: [30, 50, 100] },
  { name: '3 % gained, 13 % lost', up: 0.03, down: 0.13, sizes: [30, 50, 100] },
  { name: 'preferences, no ties', up: 0.5, down: 0.5 },
  { name: 'preferences, 65 % for the candidate', up: 0.65, down: 0.35, sizes: [30, 100] },
]

export const ENUMERATED: Cell[] = [
  ...WORLDS.flatMap(({ name, sizes = SIZES, ...rates }) =>
    sizes.map((n): Cell => ({ world: `yes/no: ${name}`, n, unit: 'items', exact: () => figuresOf(n, rates) })),
  ),
  ...[10, 30, 100].map((n): Cell => ({ world: 'yes/no: worst of 44', n, unit: 'items', exact: () => worstOf(n) })),
]

type Pair = { readonly gained: number; readonly lost: number }

/** Rarer samples do not change any shown digit. */
const NEGLIGIBLE = 1e-9

function figuresOf(n: number, rates: Rates): Figures {
  const truth = rates.up - rates.down
  const sums = { coverage: 0, gate: 0, verdicts: 0, simple: 0 }
  const isExpected = ({ gained, lost }: Pair) => truth === 0 || (gained - lost) * truth > 0
  for (let gained = 0; gained <= n; gained += 1) {
    for (let lost = 0; lost <= n - gained; lost += 1) {
      const pair = { gained, lost }
      const probability = probabilityOf(pair, n, rates)
      if (probability < NEGLIGIBLE) continue
      const p = pairedRates({ ...pair, items: n })
      if (pValue(p, truth) >= 0.05) sums.coverage += probability
      if (p.below(truth) < 0.025) sums.gate += probability
      if (isExpected(pair) && pValue(p) < 0.05) sums.verdicts += probability
      if (isExpected(pair) && midP(pair) < 0.05) sums.simple += probability
    }
  }
  return {
    coverage: 100 * sums.coverage,
    ...(truth <= 0 && n >= 30 && { gate: 100 * sums.gate }),
    ...(truth === 0
      ? { falseVerdicts: 100 * sums.verdicts, simpleFalse: 100 * sums.simple }
      : { power: 100 * sums.verdicts, simplePower: 100 * sums.simple }),
  }
}

const SHARES = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
const LOSSES = [0, 0.02, 0.05, 0.1]

/** The worst figure of all shares of items that differ and all losses. */
function worstOf(n: number): Figures {
  const worst = { coverage: 100, falseVerdicts: 0, gate: 0 }
  for (const loss of LOSSES) {
    const known = new Map<string, { isCovered: boolean; isPassed: boolean }>()
    for (const share of SHARES.filter((one) => one >= loss)) {
      let [covered, passed] = [0, 0]
      for (let gained = 0; gained <= n; gained += 1) {
        for (let lost = 0; lost <= n - gained; lost += 1) {
          const probability = probabilityOf({ gained, lost }, n, { up: (share - loss) / 2, down: (share + loss) / 2 })
          if (probability < NEGLIGIBLE) continue
          const key = `${gained} ${lost}`
          const found = known.get(key) ?? decisionsAt({ gained, lost }, n, -loss)
          known.set(key, found)
          if (found.isCovered) covered += probability
          if (found.isPassed) passed += probability
        }
      }
      worst.coverage = Math.min(worst.coverage, 100 * covered)
      worst.gate = Math.max(worst.gate, 100 * passed)
      // Where nothing changed, each interval without 0 is a false verdict.
      if (loss === 0) worst.falseVerdicts = Math.max(worst.falseVerdicts, 100 * (1 - covered))
    }
  }
  const { gate, ...others } = worst
  return n >= 30 ? worst : others
}

function decisionsAt(pair: Pair, n: number, truth: number) {
  const p = pairedRates({ ...pair, items: n })
  return { isCovered: pValue(p, truth) >= 0.05, isPassed: p.below(truth) < 0.025 }
}

function probabilityOf({ gained, lost }: Pair, n: number, { up, down }: Rates): number {
  const same = n - gained - lost
  const log = (share: number, count: number) => (count === 0 ? 0 : count * Math.log(share))
  const ways = logChoose(n, gained) + logChoose(n - gained, lost)
  return Math.exp(ways + log(up, gained) + log(down, lost) + log(Math.max(0, 1 - up - down), same))
}

/** The mid-p McNemar test by sums of binomial probabilities, independent of the code that is measured. */
function midP({ gained, lost }: Pair): number {
  const n = gained + lost
  const least = Math.min(gained, lost)
  let sum = 0
  for (let k = 0; k <= least; k += 1) sum += (k === least ? 0.5 : 1) * Math.exp(logChoose(n, k) - n * Math.LN2)
  return gained === lost ? 1 : Math.min(1, 2 * sum)
}
