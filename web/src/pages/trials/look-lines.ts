/** The looks of a trial as lines of a plot: evidence on a scale of powers of ten, so that each look adds about the same. */
import type { TrialDetail } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'

type Looks = NonNullable<TrialDetail['looks']>

export interface LookPoint {
  items: number
  /** As a power of ten. */
  at: number
}

/** Evidence beyond this decides anyway. */
const POWER_MAX = 6

export function lookLines({ rule, taken, plannedItems }: Looks): {
  lines: { name: string; points: LookPoint[] }[]
  needed: LookPoint[]
} {
  // Small values of p are strong evidence, and so are large bets.
  const powerOf = (value: number) => {
    const power = rule === 'planned' ? -Math.log10(Math.max(value, Number.MIN_VALUE)) : Math.log10(Math.max(1, value))
    return Math.min(POWER_MAX, power)
  }
  const names = [...new Set(taken.flatMap(({ variants }) => variants.map(({ name }) => name)))]
  const lines = names.map((name) => ({
    name,
    points: [
      { items: 0, at: 0 },
      ...taken.flatMap(({ items, variants }) =>
        variants.filter((one) => one.name === name).map(({ evidence }) => ({ items, at: powerOf(evidence) })),
      ),
    ],
  }))
  const levels = taken.map(({ items, variants }) => ({
    items,
    at: Math.max(...variants.map(({ threshold }) => powerOf(threshold))),
  }))
  const [first, last] = [levels[0], levels.at(-1)]
  if (!first || !last) return { lines, needed: levels }
  // The level of planned looks falls, and those to come are not known here.
  const ends = rule === 'planned' ? [] : [{ items: plannedItems.at(-1) ?? last.items, at: last.at }]
  return { lines, needed: [{ items: 0, at: first.at }, ...levels, ...ends] }
}

/** From no evidence to the power of ten above all lines. */
export function strengthTicks(
  { rule }: Looks,
  { lines, needed }: ReturnType<typeof lookLines>,
): { at: number; label: string }[] {
  const highest = Math.max(1, ...[...needed, ...lines.flatMap(({ points }) => points)].map(({ at }) => at))
  return Array.from({ length: Math.ceil(highest) + 1 }, (_, at) => ({ at, label: labelOf(rule, at) }))
}

function labelOf(rule: Looks['rule'], power: number): string {
  if (power === 0) return rule === 'planned' ? 'p 1' : '1, none'
  return rule === 'planned' ? String(1 / 10 ** power) : formatCount(10 ** power)
}

export function looksInWords({ rule, taken, plannedItems }: Looks): string {
  const last = taken.at(-1)
  const planned = `${plannedItems.length} looks are planned, the last one after ${formatCount(plannedItems.at(-1) ?? 0)} items.`
  if (!last) return `No look yet. ${planned}`
  const found = last.variants.map(({ name, evidence, threshold }) =>
    rule === 'planned'
      ? `${name}: p ${evidence.toPrecision(2)}, decided below ${threshold.toPrecision(2)}`
      : `${name}: evidence ${evidence.toPrecision(2)}, decided from ${threshold.toPrecision(2)}`,
  )
  return `Look ${taken.length} of ${plannedItems.length}, after ${formatCount(last.items)} items. ${found.join('. ')}. ${planned}`
}
