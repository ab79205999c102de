/**
 * Differences of values near the greatest double are infinite: 1e308 − (−1e308). Such values are compared in a larger
 * unit, and the results are converted back. A result beyond the greatest double is reported as that double.
 */
import type { Interval } from '../../statistics/interval.ts'
import { ValuePairs } from '../pairing/value-pairs.ts'
import { type CompareOptions, compareMetric, type Evidence, pairedInterval } from './compare-metric.ts'
import type { Estimate } from './estimate-mean.ts'

/** Sums of some millions of differences of smaller values are finite. A power of two, so that no digit changes. */
const ORDINARY_MAX = 2 ** 990
const UNIT = 2 ** 64

/** `compareMetric` for values of any magnitude. */
export async function compareAnyValues(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  options: CompareOptions,
): Promise<Evidence> {
  if (pairs.greatest() <= ORDINARY_MAX) return compareMetric(pause, pairs, options)
  return fromLargerUnit(await compareMetric(pause, ...inLargerUnit(pairs, options)))
}

/** `pairedInterval` for values of any magnitude. */
export async function intervalOfAnyValues(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  options: CompareOptions,
): Promise<Interval | null> {
  if (pairs.greatest() <= ORDINARY_MAX) return pairedInterval(pause, pairs, options)
  return intervalFromLargerUnit(await pairedInterval(pause, ...inLargerUnit(pairs, options)))
}

function inLargerUnit(pairs: ValuePairs, options: CompareOptions): [ValuePairs, CompareOptions] {
  const { margin, scale } = options
  const scaled = new ValuePairs()
  for (const [index, itemId] of pairs.itemIds.entries())
    scaled.add(itemId, (pairs.baseline[index] ?? NaN) / UNIT, (pairs.candidate[index] ?? NaN) / UNIT)
  return [
    scaled,
    {
      ...options,
      margin: margin === undefined ? undefined : margin / UNIT,
      scale: scale === null ? null : [scale[0] / UNIT, scale[1] / UNIT],
    },
  ]
}

function fromLargerUnit(evidence: Evidence): Evidence {
  const { baseline, candidate, difference, power, unseen } = evidence
  const { detectableDifference, casesFor } = power
  return {
    ...evidence,
    baseline: estimate(baseline),
    candidate: estimate(candidate),
    difference: amount(difference),
    ci: intervalFromLargerUnit(evidence.ci),
    power: {
      detectableDifference: amount(detectableDifference),
      casesFor: casesFor && { ...casesFor, difference: finite(casesFor.difference * UNIT) },
    },
    unseen: unseen && { ...unseen, changeMax: finite(unseen.changeMax * UNIT) },
  }
}

function intervalFromLargerUnit(ci: Interval | null): Interval | null {
  return ci && [finite(ci[0] * UNIT), finite(ci[1] * UNIT)]
}

function estimate({ mean, ci, method }: Estimate): Estimate {
  return { mean: amount(mean), ci: intervalFromLargerUnit(ci), method }
}

function amount(value: number | null): number | null {
  return value === null ? null : finite(value * UNIT)
}

function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value))
}
