/**
 * Which rule decides a result. The intervals and tests of a single look find a false difference sooner or later if they are
 * read while items are added. A plan that was made before the first look spends the 5 % over all looks, by the share of the
 * planned items that each has. It stays as it was made: a plan that changes after a look is a choice after seeing the data.
 */
import { LEVEL_MIN, plannedLookLevels, plannedLooksInflation } from '../../statistics/sequential/planned-looks.ts'
import { SIGNIFICANCE } from './verdict.ts'

export const LOOK_RULES = ['single', 'planned', 'sequential'] as const

export type LookPlan = { readonly looks: number; readonly items: number }

/** A result of two runs. `hash` identifies the data that it was computed from. */
export type LookResult = { readonly hash: string; readonly items: number }

export type Looking = {
  rule: (typeof LOOK_RULES)[number]
  /** A difference counts if its corrected p is below this level. */
  level: number
  /** The items in both runs. */
  items: number
  /** The number of the planned look; null without a plan. */
  look: number | null
  plannedLooks: number | null
  plannedItems: number | null
  summary: string
}

export type LookRule = {
  readonly looking: Looking
  /** The level of this look if all looks together have the level `alpha`. */
  readonly levelFor: (alpha: number) => number
  /** `look 3 of 5`; null if the rule corrects for nothing. */
  readonly correction: string | null
  /** How many times as many items the plan needs as a single look. */
  readonly inflation: number
  /** True if the result is one of the planned looks. */
  readonly isPlanned: boolean
  readonly warnings: readonly string[]
}

const WITHOUT_PLAN = { look: null, plannedLooks: null, plannedItems: null }
const SUMMARIES = {
  single: `a difference counts if p is below ${SIGNIFICANCE}, which holds for one look`,
  sequential: 'p and intervals hold for any number of looks',
}

export const SINGLE_LOOK = withoutPlan('single', { items: 0, looks: 1 })

/** `looks` of the two runs with different results, with this one. */
export function withoutPlan(
  rule: 'single' | 'sequential',
  { items, looks }: { items: number; looks: number },
): LookRule {
  const summary = `${looks === 1 ? 'First look' : `Look ${looks}`}, not planned, at ${items} items: ${SUMMARIES[rule]}.`
  const looking = { rule, level: SIGNIFICANCE, items, ...WITHOUT_PLAN, summary }
  return { looking, levelFor: (alpha) => alpha, correction: null, inflation: 1, isPlanned: false, warnings: [] }
}

/** The same for comparisons and gates. */
export function repeatedLooks(looks: number): string {
  return `These runs were compared ${looks} times with different results, because items, scores or ratings were added, or another selection was read: a single look is wrong in 5 of 100 cases, several in more. Plan the looks (plannedLooks), or decide by sequential.`
}

/** Decides a result by a plan that is stored with its looks so far, oldest first. */
export function plannedLook(stored: string, result: LookResult): LookRule {
  const { plan, earlier } = readPlan(stored)
  const made = withGrowth(earlier, plan)
  const known = made.findIndex(({ hash }) => hash === result.hash)
  const series = known >= 0 ? made.slice(0, known + 1) : withGrowth([...made, result], plan)
  const isPlanned = series.at(-1)?.hash === result.hash
  const levels = new Map<number, number>()
  const levelFor = (alpha: number): number => {
    const level = levels.get(alpha) ?? plannedLookLevels(sharesOf(series, plan), alpha).at(-1) ?? LEVEL_MIN
    levels.set(alpha, level)
    return level
  }
  const look = series.length
  const level = levelFor(SIGNIFICANCE)
  const numbers = { level, items: result.items, look, plannedLooks: plan.looks, plannedItems: plan.items }
  return {
    looking: { rule: 'planned', ...numbers, summary: summaryOf(numbers, { isPlanned }) },
    levelFor,
    correction: `look ${look} of ${plan.looks}`,
    inflation: plannedLooksInflation(plan.looks),
    isPlanned,
    warnings: isPlanned ? [] : [notPlanned(series, plan)],
  }
}

/** As it is stored: `5/500`, and behind it ` hash:items` for each look. */
export function planText({ looks, items }: LookPlan): string {
  return `${looks}/${items}`
}

export function lookText({ hash, items }: LookResult): string {
  return ` ${hash}:${items}`
}

export function readPlan(stored: string): { plan: LookPlan; earlier: LookResult[] } {
  const [first = '', ...others] = stored.split(' ')
  const [looks, items] = first.split('/').map(Number)
  const earlier = others.map((look) => look.split(':')).map(([hash = '', count]) => ({ hash, items: Number(count) }))
  return { plan: { looks: looks ?? 0, items: items ?? 0 }, earlier }
}

/** A look with hardly more items than the one before it has nothing to spend: 1 % of the planned items. */
const GROWTH_MIN = 0.01

/** Two requests at the same time may have stored looks out of order. */
function withGrowth(results: readonly LookResult[], { items: planned }: LookPlan): LookResult[] {
  const growing: LookResult[] = []
  for (const result of results) {
    const growth = Math.min(planned, result.items) - (growing.at(-1)?.items ?? 0)
    if (growth > 0 && growth >= GROWTH_MIN * planned) growing.push(result)
  }
  return growing
}

function sharesOf(series: readonly LookResult[], { items: planned }: LookPlan): number[] {
  return series.map(({ items }) => Math.min(1, items / planned))
}

type PlanNumbers = { level: number; items: number; look: number; plannedLooks: number; plannedItems: number }

function summaryOf(
  { level, items, look, plannedLooks, plannedItems }: PlanNumbers,
  { isPlanned }: { isPlanned: boolean },
): string {
  const number = look > plannedLooks ? `${look} (${plannedLooks} were planned)` : `${look} of ${plannedLooks} planned`
  const where = `${isPlanned ? 'Look' : 'After look'} ${number}, at ${items} of ${plannedItems} items`
  // Two digits are enough to compare with.
  return `${where}: a difference counts if p is below ${Number(level.toPrecision(2))}.`
}

function notPlanned(series: readonly LookResult[], plan: LookPlan): string {
  const [look, items] = [series.length, series.at(-1)?.items ?? 0]
  if (items >= plan.items)
    return `The plan has ended with look ${look} at ${items} items: the verdict of that look stands, and this result is not covered by the plan.`
  return `This result is not covered by the plan, because it has hardly more items than look ${look}. It is decided at the level of that look; further results with as many items make a false difference more probable.`
}
