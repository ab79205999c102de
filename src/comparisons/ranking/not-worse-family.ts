import { isNotWorse, SIGNIFICANCE } from '../verdicts/verdict.ts'

type Candidate = Parameters<typeof isNotWorse>[0] & {
  /** That of the rule for repeated looks: the level of this look if all looks together have the level `alpha`. */
  readonly levelFor?: (alpha: number) => number
}

export type NotWorse = {
  readonly isNotWorse: boolean
  /** The level of its interval: that of the last step in which it was tested. */
  readonly level: number
}

/**
 * Which of several candidates are not worse than the baseline by more than the margin. Each must be shown as a gate shows
 * it, at 0.05 / k as long as k are left: if all are worse by the margin, any passes in at most 5 of 100 families.
 *
 * Holm, S. (1979), Scandinavian Journal of Statistics 6, 65–70. All that reject in a step leave at once, which is the
 * same: the next one would be tested at a higher level.
 */
export function notWorseFamily(candidates: readonly Candidate[], margin: number): NotWorse[] {
  const passed = new Map<Candidate, number>()
  let level = SIGNIFICANCE
  for (let left = [...candidates]; left.length > 0; left = left.filter((one) => !passed.has(one))) {
    const step = SIGNIFICANCE / left.length
    level = step
    const found = left.filter((one) => isNotWorse(one, margin, one.levelFor?.(step) ?? step))
    if (found.length === 0) break
    for (const one of found) passed.set(one, step)
  }
  return candidates.map((one) => ({ isNotWorse: passed.has(one), level: passed.get(one) ?? level }))
}
