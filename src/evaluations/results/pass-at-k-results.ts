/** What several passes over the same items tell: whether a component can do it at all, and whether it can be relied upon. */
import { passAtK, passHatK } from '../../statistics/pass-at-k.ts'
import { type Estimate, estimateOf } from './mean-with-interval.ts'
import type { Attempts } from './score-columns.ts'

/** More are of interest to nobody, and each costs a walk over all items. */
const K_MAX = 10

export type PassAtKResults = {
  k: number
  /** Items that were tried so often; the others cannot tell. */
  n: number
  /** At least one of k passes. */
  passAtK: Estimate
  /** All of k pass. */
  passHatK: Estimate
}

/** For every k from two on, as far as any item was tried so often; null if none was tried twice. */
export async function passAtKResults(
  attempts: ReadonlyMap<string, Attempts>,
  seed: string,
): Promise<PassAtKResults[] | null> {
  let most = 0
  for (const { n } of attempts.values()) most = Math.max(most, n)
  if (most < 2) return null
  const measured: PassAtKResults[] = []
  for (let k = 2; k <= Math.min(most, K_MAX); k += 1) {
    const tried = [...attempts.values()].filter(({ n }) => n >= k)
    const estimate = async (share: typeof passAtK, name: string): Promise<Estimate> => {
      const values = tried.flatMap(({ n, c }) => share({ n, c, k }) ?? [])
      return estimateOf({ values, clusters: null }, { seed: `${seed}:${name}:${k}`, hasBinaryScale: true })
    }
    const pass = { passAtK: await estimate(passAtK, 'any'), passHatK: await estimate(passHatK, 'all') }
    measured.push({ k, n: tried.length, ...pass })
  }
  return measured
}
