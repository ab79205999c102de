/** The looks that a trial has taken: as they are stored, in the API, and in words. */
import { formatInterval, formatNumber } from '../../comparisons/verdicts/verdict-summary.ts'
import type { TrialDetail } from '../trial-schemas.ts'
import type { Variant } from '../variant-queries.ts'
import type { Finding } from './decide-look.ts'
import type { LookPlan } from './plan-looks.ts'

/** Differences are in the unit of the metric: candidate − baseline. */
export type FoundVariant = Finding & { number: number; scale: [number, number] }

/** Differences are in the unit of the metric. */
export type Leader = {
  number: number
  difference: number
  expectedOnNew: { difference: number; ci: [number, number] | null } | null
}

/** Looks of older servers have no leader. */
export type TakenLook = { items: number; takenAt: string; variants: FoundVariant[]; leader?: Leader | null }

export function readLooks(text: string | null): TakenLook[] {
  return JSON.parse(text ?? '[]')
}

/** As it is shown to users. */
type VariantComparison = NonNullable<TrialDetail['variants'][number]['comparison']>

type Metric = { scale: readonly [number, number]; higherIsBetter: boolean }

/** From a share of the scale, of which a gain is positive. */
export function inUnit(finding: Finding, { scale, higherIsBetter }: Metric): Omit<FoundVariant, 'number'> {
  const factor = (higherIsBetter ? 1 : -1) * (scale[1] - scale[0])
  // Without −0, which JSON does not have.
  const amount = (share: number) => share * factor + 0
  const ends = finding.ci?.map(amount).sort((a, b) => a - b)
  const [low, high] = ends ?? []
  return {
    ...finding,
    scale: [scale[0], scale[1]],
    difference: finding.difference === null ? null : amount(finding.difference),
    ci: low === undefined || high === undefined ? null : [low, high],
  }
}

export function leaderInUnit({ number, difference, expectedOnNew }: Leader, { scale, higherIsBetter }: Metric): Leader {
  const factor = (higherIsBetter ? 1 : -1) * (scale[1] - scale[0])
  const [low, high] = (expectedOnNew?.ci ?? []).map((end) => end * factor + 0).sort((a, b) => a - b)
  return {
    number,
    difference: difference * factor,
    expectedOnNew: expectedOnNew && {
      difference: expectedOnNew.difference * factor + 0,
      ci: low === undefined || high === undefined ? null : [low, high],
    },
  }
}

export function describeLooks(
  plan: LookPlan,
  taken: readonly TakenLook[],
  variants: readonly Variant[],
): TrialDetail['looks'] {
  const names = new Map(variants.map(({ number, name }) => [number, name]))
  return {
    rule: plan.rule,
    metric: plan.metric,
    plannedItems: plan.sizes.map(({ items }) => items),
    taken: taken.map((look) => ({
      items: look.items,
      takenAt: look.takenAt,
      variants: look.variants.map(({ number, evidence, threshold, difference, ci }) => ({
        name: names.get(number) ?? '',
        evidence,
        threshold,
        difference,
        ci: ci && [ci[0], ci[1]],
      })),
      leader: look.leader ? describeLeader(look.leader, names) : null,
    })),
  }
}

function describeLeader({ number, difference, expectedOnNew }: Leader, names: ReadonlyMap<number, string>) {
  return { name: names.get(number) ?? '', difference, expectedOnNew }
}

/** The verdict of the last look at a candidate; undefined before the first one. */
export function verdictOfLooks(
  plan: LookPlan,
  taken: readonly TakenLook[],
  { candidate, baseline }: { candidate: Pick<Variant, 'number' | 'name'>; baseline: Pick<Variant, 'name'> },
): VariantComparison | undefined {
  const place = taken.findLastIndex(({ variants }) => variants.some(({ number }) => number === candidate.number))
  const look = taken[place]
  const found = look?.variants.find(({ number }) => number === candidate.number)
  if (!look || !found) return undefined
  const of = { candidate: candidate.name, baseline: baseline.name, metric: plan.metric }
  const total = plan.sizes.at(-1)?.items ?? 0
  const rule =
    plan.rule === 'sequential' ? 'for any number of looks' : `corrected for look ${place + 1} of ${plan.sizes.length}`
  const ci = found.ci ? `95 % CI ${rule} ${formatInterval(found.ci, found.scale)}, ` : ''
  const where = `(${ci}${look.items.toLocaleString('en')} of ${total.toLocaleString('en')} items)`
  const verdict = found.verdict === 'undecided' ? 'noClearDifference' : found.verdict
  const summary = `${sentenceOf(found, of, where)}${marginOf(found, plan, of)}`
  return { verdict, summary, difference: found.difference, ci: found.ci && [found.ci[0], found.ci[1]] }
}

type Names = { candidate: string; baseline: string; metric: string }

function sentenceOf(
  { verdict, difference, endedBy }: Finding,
  { candidate, baseline, metric }: Names,
  where: string,
): string {
  const amount = difference === null ? '' : ` by ${formatNumber(Number(Math.abs(difference).toPrecision(2)))}`
  if (verdict === 'improved') return `${candidate} is better than ${baseline} on ${metric}${amount} ${where}.`
  if (verdict === 'regressed') return `${candidate} is worse than ${baseline} on ${metric}${amount} ${where}.`
  const none = `No clear difference between ${baseline} and ${candidate} on ${metric}`
  return endedBy === 'futile' ? `${none}, and more items would hardly have shown one ${where}.` : `${none} ${where}.`
}

function marginOf({ isMarginKept }: Finding, { margin }: LookPlan, { candidate }: Names): string {
  if (margin === null || isMarginKept === null) return ''
  const amount = `the margin of ${formatNumber(margin)}`
  return isMarginKept
    ? ` ${candidate} is not worse by more than ${amount}.`
    : ` ${candidate} may be worse by more than ${amount}.`
}

/** Why a variant gets no more calls. */
export function whyEnded(
  taken: readonly TakenLook[],
  { number, endedBy }: Pick<Variant, 'number' | 'endedBy'>,
  { sizes }: LookPlan,
): string | null {
  if (endedBy === null) return null
  const total = sizes.at(-1)?.items ?? 0
  const look = taken.find(({ variants }) => variants.some((one) => one.number === number && one.endedBy !== null))
  const after = `after ${look?.items.toLocaleString('en') ?? 0} of ${total.toLocaleString('en')} items`
  return endedBy === 'decided' ? `Decided ${after}` : `Stopped ${after}: the others would hardly show a difference`
}
