import { regularizedBeta } from '../distributions.ts'
import type { PFunction } from './p-function.ts'

/** Of `items` yes/no items, `gained` are yes in the candidate only and `lost` in the baseline only. */
export type PairedRates = { readonly gained: number; readonly lost: number; readonly items: number }

/**
 * The difference of two rates of the same items. At 0 it is the mid-p McNemar test: Fagerland, M. W., Lydersen, S. &
 * Laake, P. (2013), The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than exact
 * conditional, BMC Medical Research Methodology 13, 91. The interval is its inversion.
 *
 * The difference is s · (2π − 1), where s is the share of items that differ and π the share of gains among them. With
 * one more item, which is a gain or a loss with equal chance (see `one-more-item.ts`), s and π have beta distributions.
 */
export function pairedRates({ gained, lost, items }: PairedRates): PFunction {
  const differing = shareQuantiles(gained + lost + 1, items - gained - lost)
  const atMost = (x: number, gains: number, losses: number) => differenceAtMost(x, { gains, losses, differing })
  const moreLost = (x: number) => atMost(x, gained, lost + 1)
  const moreGained = (x: number) => atMost(x, gained + 1, lost)
  const fewerLost = (x: number) => atMost(-x, lost, gained + 1)
  const fewerGained = (x: number) => atMost(-x, lost + 1, gained)
  const isExact = gained + lost > MID_P_MAX * items
  return {
    estimate: items === 0 ? 0 : (gained - lost) / items,
    below: isExact ? moreLost : (x) => (moreLost(x) + moreGained(x)) / 2,
    above: isExact ? fewerLost : (x) => (fewerLost(x) + fewerGained(x)) / 2,
    bounds: [-1, 1],
    spread: Math.sqrt(gained + lost + 1) / (items + 1),
  }
}

/** If a larger share of the items differs, the mid-p test rejects too often (6.5 % by enumeration): the exact one is used. */
const MID_P_MAX = 0.8

type ShareQuantiles = { readonly nodes: readonly number[]; readonly differing: number; readonly same: number }

/** The share of items that differ at the nodes of the quadrature; 1 if all items differ. */
function shareQuantiles(differing: number, same: number): ShareQuantiles {
  const nodes = same === 0 ? GAUSS.map(() => 1) : GAUSS.map(({ at }) => betaQuantile(at, differing, same))
  return { nodes, differing, same }
}

type Posterior = { gains: number; losses: number; differing: ShareQuantiles }

/** The probability that s · (2π − 1) ≤ x, with π from Beta(gains, losses). */
function differenceAtMost(x: number, { gains, losses, differing: { nodes, differing, same } }: Posterior): number {
  // Without gains the difference is −s; without losses it is s.
  if (gains === 0) return x >= 0 ? 1 : 1 - shareAtMost(-x, differing, same)
  if (losses === 0) return x < 0 ? 0 : shareAtMost(x, differing, same)
  let sum = 0
  for (const [index, { weight }] of GAUSS.entries())
    sum += weight * regularizedBeta((1 + x / (nodes[index] ?? 1)) / 2, gains, losses)
  return sum
}

function shareAtMost(x: number, differing: number, same: number): number {
  return same === 0 ? Number(x >= 1) : regularizedBeta(x, differing, same)
}

function betaQuantile(p: number, a: number, b: number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2
    if (regularizedBeta(middle, a, b) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Nodes and weights of the Gauss–Legendre quadrature between 0 and 1: Abramowitz & Stegun (1964), 25.4.29. */
const GAUSS = gaussLegendre(32)

function gaussLegendre(nodes: number): { at: number; weight: number }[] {
  return Array.from({ length: nodes }, (_, index) => {
    let x = Math.cos((Math.PI * (index + 0.75)) / (nodes + 0.5))
    let slope = 0
    for (let step = 0; step < 10; step += 1) {
      let [previous, value] = [1, x]
      for (let k = 2; k <= nodes; k += 1)
        [previous, value] = [value, ((2 * k - 1) * x * value - (k - 1) * previous) / k]
      slope = (nodes * (x * value - previous)) / (x * x - 1)
      x -= value / slope
    }
    return { at: (1 - x) / 2, weight: 1 / ((1 - x * x) * slope * slope) }
  })
}
