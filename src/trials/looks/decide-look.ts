/** What a look finds of each candidate, by one of the two rules for several looks. */
import { infer } from '../../comparisons/evidence/infer.ts'
import { ITEMS_MIN, MARGIN_ITEMS_MIN, SIGNIFICANCE } from '../../comparisons/verdicts/verdict.ts'
import type { Interval } from '../../statistics/interval.ts'
import { E_VALUE_MIN } from '../../statistics/sequential/e-values.ts'
import { familyLooks } from '../../statistics/sequential/family-looks.ts'
import { plannedLookLevels } from '../../statistics/sequential/planned-looks.ts'
import type { Slices } from '../../statistics/slices.ts'
import { sumOf } from '../../statistics/sums.ts'
import type { LookPlan } from './plan-looks.ts'
import type { CandidateChanges } from './read-changes.ts'

/** Differences are shares of the scale, of which a gain is positive. */
export type Finding = {
  /** An e-value, which must reach the threshold, or the p of a planned look, which must be below it. */
  evidence: number
  threshold: number
  verdict: 'improved' | 'regressed' | 'undecided'
  endedBy: 'decided' | 'futile' | null
  difference: number | null
  ci: Interval | null
  /** Whether a loss beyond the margin is excluded; null without a margin. */
  isMarginKept: boolean | null
}

type Look = {
  rule: LookPlan['rule']
  /** The numbers of units of all looks; those of the first `taken + 1` are known. */
  sizes: readonly number[]
  taken: number
  /** As a share of the scale. */
  margin: number | undefined
  seed: string
}

export function* decideLook(candidates: readonly CandidateChanges[], look: Look): Slices<Finding[]> {
  return look.rule === 'sequential' ? yield* decideSequentially(candidates, look) : decidePlanned(candidates, look)
}

/** From the first look on, because what a look needs depends on what the looks before it have ended. */
function* decideSequentially(
  candidates: readonly CandidateChanges[],
  { sizes, taken, margin, seed }: Look,
): Slices<Finding[]> {
  const found = yield* familyLooks(candidates, { sizes, available: taken + 1, margin, seed })
  return found.map(({ looks, verdict, endedBy, interval, margin: ofMargin }, index) => {
    const last = looks.at(-1)
    return {
      evidence: Math.min(Number.MAX_VALUE, last?.evidence ?? 1),
      threshold: last?.threshold ?? E_VALUE_MIN,
      verdict,
      endedBy,
      difference: differenceOf(candidates[index], last?.items),
      ci: interval,
      isMarginKept: margin === undefined ? null : ofMargin?.isKept === true,
    }
  })
}

/** Each of k candidates has a part of 0.05 / k at each look. */
function decidePlanned(candidates: readonly CandidateChanges[], { sizes, taken, margin }: Look): Finding[] {
  const total = sizes.at(-1) ?? 1
  const shares = sizes.slice(0, taken + 1).map((size) => size / total)
  const level = plannedLookLevels(shares, SIGNIFICANCE / candidates.length).at(-1) ?? 0
  return candidates.map((one) => {
    const values = one.values.filter((value) => !Number.isNaN(value))
    const difference = differenceOf(one, sizes[taken])
    const atWorst = values.length < one.values.length ? { atWorst: { values: one.atWorst } } : {}
    const kind = one.isYesNo ? ({ kind: 'yes/no' } as const) : ({ kind: 'scores', range: 1, isRate: false } as const)
    if (values.length < ITEMS_MIN)
      return {
        evidence: 1,
        threshold: level,
        verdict: 'undecided',
        endedBy: null,
        difference,
        ci: null,
        isMarginKept: margin === undefined ? null : false,
      }
    const found = infer({ values, ...atWorst }, kind)
    const isDecided = found.p < level
    const [lowest = -1] = found.marginInterval(level) ?? []
    return {
      evidence: found.p,
      threshold: level,
      verdict: isDecided ? (found.gain > 0 ? 'improved' : 'regressed') : 'undecided',
      endedBy: isDecided ? 'decided' : null,
      difference,
      ci: found.interval(level),
      isMarginKept: margin === undefined ? null : lowest > -margin && values.length >= MARGIN_ITEMS_MIN,
    }
  })
}

/** Of the items that both have answered. */
function differenceOf(changes: CandidateChanges | undefined, units: number | undefined): number | null {
  const known = changes?.values.subarray(0, units).filter((value) => !Number.isNaN(value))
  return known && known.length > 0 ? sumOf(known) / known.length : null
}
