/** Of several variants, those that no other one beats in quality, cost and latency, and the cheapest that is not worse. */

import { formatFixed, type Interval } from '../../statistics/interval.ts'
import type { MetricScale } from '../evidence/evidence.ts'
import { formatItems } from '../verdicts/verdict.ts'
import { formatMargin } from '../verdicts/verdict-summary.ts'

export type Variant = {
  readonly name: string
  readonly quality: { readonly mean: number; readonly ci: Interval | null }
  /** Of an item; null if unknown. */
  readonly costUsd: number | null
  readonly latencyMs: number | null
}

export type CandidateVariant = Variant & {
  /** Shown with correction for all candidates: by `notWorseFamily`, or by the looks of a trial. */
  readonly isNotWorse: boolean
}

type Question = {
  readonly metric: { readonly name: string } & Pick<MetricScale, 'higherIsBetter' | 'isRatio'>
  readonly margin: number
  /** The items that all variants have. */
  readonly items: number
}

export type Cheapest = {
  /** The name of a candidate that costs less than the baseline; null if there is none. */
  readonly cheapest: string | null
  /** No other variant is at least as good in all three and better in one. In the given order, the baseline first. */
  readonly front: readonly Variant[]
  readonly summary: string
}

/** Costs and latencies are those of the items of the trial; what is shown about them is in the comparisons. */
export function cheapestNotWorse(
  baseline: Variant,
  candidates: readonly CandidateVariant[],
  question: Question,
): Cheapest {
  const passed = candidates.filter(({ isNotWorse }) => isNotWorse)
  const cheapest = passed
    .filter(({ costUsd }) => isLess(costUsd, baseline.costUsd))
    .reduce<CandidateVariant | undefined>((found, one) => {
      return found && !isLess(one.costUsd, found.costUsd) && !isBetterThroughout(one, found, question) ? found : one
    }, undefined)
  const correction = candidates.length > 1 ? `corrected for ${candidates.length} candidates, ` : ''
  const text = summaryOf({ baseline, cheapest, passed }, question)
  return {
    cheapest: cheapest?.name ?? null,
    front: frontOf([baseline, ...candidates], question),
    summary: `${text} (${correction}${formatItems(question)}).`,
  }
}

export function frontOf(variants: readonly Variant[], question: Pick<Question, 'metric'>): Variant[] {
  return variants.filter((one) => !variants.some((other) => isBetterThroughout(other, one, question)))
}

type Found = { baseline: Variant; cheapest: CandidateVariant | undefined; passed: readonly CandidateVariant[] }

function summaryOf({ baseline, cheapest, passed }: Found, { metric, margin }: Question): string {
  const claim = `not worse than ${baseline.name} on ${metric.name} by more than the margin of ${formatMargin(metric, margin)}`
  if (passed.length === 0) return `No candidate is shown to be ${claim}`
  if (!cheapest) return `No candidate that is ${claim} is known to cost less`
  const ratio = formatFixed((cheapest.costUsd ?? NaN) / (baseline.costUsd ?? NaN), 2)
  return `${cheapest.name} is the cheapest that is ${claim}: it costs ${ratio} × as much`
}

/** At least as good in all, and better in one. An unknown cost or latency can neither beat another one nor be beaten. */
function isBetterThroughout(one: Variant, other: Variant, { metric }: Pick<Question, 'metric'>): boolean {
  const direction = metric.higherIsBetter ? -1 : 1
  const changes = [
    direction * (one.quality.mean - other.quality.mean),
    changeOf(one.costUsd, other.costUsd),
    changeOf(one.latencyMs, other.latencyMs),
  ]
  return changes.every((change) => change <= 0) && changes.some((change) => change < 0)
}

function changeOf(one: number | null, other: number | null): number {
  if (one === null && other === null) return 0
  return one === null || other === null ? NaN : one - other
}

function isLess(one: number | null, other: number | null): boolean {
  return one !== null && other !== null && one < other
}
