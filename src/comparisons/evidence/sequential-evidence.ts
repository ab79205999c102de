/**
 * Replaces the interval and the test of a metric by those that stay valid however often the comparison is read while
 * items are added. The usual ones are valid once: who looks at 25 growing samples finds a false difference in 17 of 100
 * comparisons.
 *
 * The interval is that of `bettingMean`. The test of yes/no values, and of values without a scale, is the e-value of the
 * items that rose against those that fell; of other values it is the e-value of the same bets. Without a scale there is
 * no always-valid interval, because a single later item could change the mean by any amount.
 */

import { runInSlices } from '../../base/event-loop.ts'
import type { Interval } from '../../statistics/interval.ts'
import { bettingMean } from '../../statistics/sequential/betting-mean.ts'
import { signEValue } from '../../statistics/sequential/e-values.ts'
import type { ValuePairs } from '../pairing/measure-pairs.ts'
import { compareText, type PairedItems } from '../pairing/pair-items.ts'
import type { Evidence, MetricScale, Test } from './evidence.ts'

/** By item: when both runs had it. */
export type KnownSince = ReadonlyMap<string, string>

export function knownSince({ pairs }: PairedItems): KnownSince {
  const since = new Map<string, string>()
  for (const { itemId, baseline, candidate } of pairs) {
    for (const { linkedAt } of [baseline, candidate])
      if (linkedAt > (since.get(itemId) ?? '')) since.set(itemId, linkedAt)
  }
  return since
}

export async function sequentialEvidence(
  evidence: Evidence,
  { values, since, scale }: { values: ValuePairs; since: KnownSince } & Pick<MetricScale, 'scale'>,
): Promise<Evidence> {
  const differences = orderedDifferences(values, since)
  const bets = scale && (await runInSlices(bettingMean(differences, { bound: scale[1] - scale[0] })))
  return {
    ...evidence,
    ci: bets?.interval ?? null,
    method: bets ? INTERVAL_METHOD : 'none: a metric without a scale has no always-valid interval',
    test: evidence.isBinary || !bets ? signTest(differences) : betTest(differences, bets),
    // The bets allow for items that are too rare to be seen.
    unseen: null,
    // Sample sizes are planned for a single look.
    power: { detectableDifference: null, casesFor: null },
  }
}

/** The interval alone. */
export async function sequentialInterval({
  values,
  since,
  scale,
}: { values: ValuePairs; since: KnownSince } & Pick<MetricScale, 'scale'>): Promise<Interval | null> {
  if (scale === null) return null
  const bets = await runInSlices(bettingMean(orderedDifferences(values, since), { bound: scale[1] - scale[0] }))
  return bets?.interval ?? null
}

const INTERVAL_METHOD = 'always-valid interval by betting, 95 % (Waudby-Smith & Ramdas 2024)'

function orderedDifferences(values: ValuePairs, since: KnownSince): number[] {
  return [...values.differencesByItem()]
    .map(([itemId, difference]) => ({ itemId, difference, at: since.get(itemId) ?? '' }))
    .sort((a, b) => compareText(a.at, b.at) || compareText(a.itemId, b.itemId))
    .map(({ difference }) => difference)
}

function signTest(differences: readonly number[]): Test | null {
  const gained = differences.filter((difference) => difference > 0).length
  const lost = differences.filter((difference) => difference < 0).length
  if (gained + lost === 0) return null
  return {
    method: 'e-value of gains against losses (Howard et al. 2021)',
    ...evidenceOf(signEValue({ gained, lost })),
    minAttainableP: 1 / signEValue({ gained: gained + lost, lost: 0 }),
    testDirection: Math.sign(gained - lost),
  }
}

function betTest(
  differences: readonly number[],
  { eValue, direction }: { eValue: number; direction: number },
): Test | null {
  if (differences.every((difference) => difference === 0)) return null
  const method = 'e-value by betting (Waudby-Smith & Ramdas 2024)'
  return { method, ...evidenceOf(eValue), minAttainableP: 0, testDirection: direction }
}

/** The inverse of an e-value is a p-value at all times at once. */
function evidenceOf(eValue: number): { statistic: number; p: number } {
  return { statistic: eValue, p: Math.min(1, 1 / eValue) }
}
