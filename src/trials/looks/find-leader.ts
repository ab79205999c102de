/** Which candidate is ahead at a look, and by how much it will be ahead on new items. Decides nothing. */

import type { Slices } from '../../statistics/slices.ts'
import { expectedOnNewItems } from '../../statistics/split-selection.ts'
import { meanOf } from '../../statistics/sums.ts'
import type { CandidateChanges } from './read-changes.ts'
import type { Leader } from './taken-looks.ts'

/**
 * Compares the candidates on the units that all of them have, because they must differ in nothing else. Differences are shares of the scale;
 * a gain is positive. Undefined if none is ahead of the baseline.
 */
export function* findLeader(
  candidates: readonly { number: number; changes: CandidateChanges }[],
  { units, seed }: { units: number; seed: string },
): Slices<Leader | undefined> {
  const common = Array.from({ length: units }, (_, unit) => unit).filter((unit) =>
    candidates.every(({ changes }) => Number.isFinite(changes.values[unit])),
  )
  const gains = candidates.map(({ changes }) => Float64Array.from(common, (unit) => changes.values[unit] ?? 0))
  const means = gains.map((ofCandidate) => meanOf([...ofCandidate]) ?? 0)
  const difference = Math.max(...means)
  const best = candidates[means.indexOf(difference)]
  if (!best || difference <= 0) return undefined
  const expected = yield* expectedOnNewItems(gains, { seed })
  const { interval } = expected ?? {}
  const ci: [number, number] | null = interval ? [interval[0], interval[1]] : null
  return { number: best.number, difference, expectedOnNew: expected ? { difference: expected.difference, ci } : null }
}
