/**
 * Statistics over several attempts at the same items: whether a component can solve an item at all, and whether it
 * does so reliably.
 */
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { GroupOf } from '../../comparisons/evidence/estimate-grouped-mean.ts'
import { meanOfSharesInSlices } from '../../statistics/bootstrap/mean-of-shares.ts'
import { passAtK, passHatK } from '../../statistics/pass-at-k.ts'
import { type Estimate, estimateOf } from './mean-with-interval.ts'
import type { Attempts } from './score-columns.ts'

/** Larger values are rarely of interest, and each one costs a pass over all items. */
const K_MAX = 10
const METHOD = 'mean of items, Bayesian bootstrap with Jeffreys’ prior, 95 % (Rubin 1981)'
const NOTHING: Estimate = { mean: null, ci: null, method: 'none: nothing was scored' }

export type PassAtKResults = {
  k: number
  /** The number of items with at least k attempts. */
  n: number
  /** The probability that at least one of k attempts passes. */
  passAtK: Estimate
  /** The probability that all k attempts pass. */
  passHatK: Estimate
}

/** Returns one entry for every k from 2 to the largest number of attempts; null if no item was attempted twice. */
export async function passAtKResults(
  attempts: ReadonlyMap<string, Attempts>,
  seed: string,
  groupOf?: GroupOf,
): Promise<PassAtKResults[] | null> {
  let most = 0
  for (const { n } of attempts.values()) most = Math.max(most, n)
  if (most < 2) return null
  const measured: PassAtKResults[] = []
  for (let k = 2; k <= Math.min(most, K_MAX); k += 1) {
    const tried = [...attempts].filter(([, { n }]) => n >= k)
    const clusters = groupOf ? tried.map(([itemId]) => itemId) : null
    const groups = groupOf && tried.map(([itemId]) => groupOf(itemId))
    const estimate = async (share: typeof passAtK, name: string): Promise<Estimate> => {
      const values = tried.flatMap(([, { n, c }]) => share({ n, c, k }) ?? [])
      const options = { seed: `${seed}:${name}:${k}` }
      if (groupOf) return estimateOf({ values, clusters, groups }, { ...options, hasBinaryScale: true })
      const found = await meanOfSharesInSlices(yieldToEventLoop, values, options)
      return found ? { mean: found.mean, ci: found.interval, method: METHOD } : NOTHING
    }
    const pass = { passAtK: await estimate(passAtK, 'any'), passHatK: await estimate(passHatK, 'all') }
    measured.push({ k, n: tried.length, ...pass })
  }
  return measured
}
