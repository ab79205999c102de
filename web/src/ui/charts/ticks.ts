/** Round numbers and times on an axis, by the rules of d3-array and d3-time, of which charts need only this. */

/** From a domain to a range; values outside of the domain are outside of the range. */
export function linearScale([low, high]: readonly [number, number], [from, to]: readonly [number, number]) {
  return (value: number) => (high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from))
}

/** About `count` multiples of 1, 2 or 5 times a power of ten. */
export function linearTicks([low, high]: readonly [number, number], count: number): number[] {
  if (low === high) return [low]
  const step = stepOf(low, high, count)
  const first = Math.ceil(low / step.size - ROUNDING)
  const last = Math.floor(high / step.size + ROUNDING)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => step.times(first + index))
}

/** The domain, extended to multiples of the distance of its ticks. */
export function niceTicksDomain([low, high]: readonly [number, number], count: number): [number, number] {
  let [from, to] = [low, high]
  // A wider domain may have a wider step.
  for (let pass = 0; pass < 10; pass++) {
    const step = stepOf(from, to, count)
    const next = [
      step.times(Math.floor(from / step.size + ROUNDING)),
      step.times(Math.ceil(to / step.size - ROUNDING)),
    ] as const
    if (next[0] === from && next[1] === to) break
    ;[from, to] = next
  }
  return [from, to]
}

/** A multiple that is only not whole because of rounding counts as whole. */
const ROUNDING = 1e-9

function stepOf(low: number, high: number, count: number) {
  const wanted = (high - low) / Math.max(1, count)
  const power = Math.floor(Math.log10(wanted))
  const rest = wanted / 10 ** power
  const factor = rest >= Math.sqrt(50) ? 10 : rest >= Math.sqrt(10) ? 5 : rest >= Math.SQRT2 ? 2 : 1
  // Division by a whole number is exact where multiplication by a fraction is not: 3 / 10, but 3 * 0.1.
  if (power < 0) {
    const parts = 10 ** -power / factor
    return { size: 1 / parts, times: (index: number) => index / parts }
  }
  const size = factor * 10 ** power
  return { size, times: (index: number) => index * size }
}

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const STEPS: readonly (readonly [unit: Unit, every: number, ms: number])[] = [
  ['second', 1, SECOND],
  ['second', 5, 5 * SECOND],
  ['second', 15, 15 * SECOND],
  ['second', 30, 30 * SECOND],
  ['minute', 1, MINUTE],
  ['minute', 5, 5 * MINUTE],
  ['minute', 15, 15 * MINUTE],
  ['minute', 30, 30 * MINUTE],
  ['hour', 1, HOUR],
  ['hour', 3, 3 * HOUR],
  ['hour', 6, 6 * HOUR],
  ['hour', 12, 12 * HOUR],
  ['day', 1, DAY],
  ['day', 2, 2 * DAY],
  ['week', 1, 7 * DAY],
  ['month', 1, 30 * DAY],
  ['month', 3, 90 * DAY],
  ['year', 1, 365 * DAY],
]

/** About `count` round times of the user's clock, both ends included. */
export function timeTicksIn(from: number, to: number, count: number): Date[] {
  const wanted = (to - from) / count
  const nearest = STEPS.toSorted((a, b) => Math.abs(Math.log(a[2] / wanted)) - Math.abs(Math.log(b[2] / wanted)))[0]
  if (!nearest || !(to > from)) return []
  const [unit, once, ms] = nearest
  const every = unit === 'year' ? Math.max(1, Math.round(wanted / ms)) : once
  const ticks: Date[] = []
  let index = 0
  for (let tick = tickAt(new Date(from), unit, every, 0); tick.getTime() <= to; ) {
    if (tick.getTime() >= from) ticks.push(tick)
    index++
    const next = tickAt(new Date(from), unit, every, index)
    // The hour that is skipped in spring would come twice.
    if (next.getTime() > tick.getTime() || index < 3) tick = next
    else break
  }
  return ticks
}

/** The round time at or before `date`, and those after it. */
function tickAt(date: Date, unit: Unit, every: number, index: number): Date {
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  const at = (value: number) => (Math.floor(value / every) + index) * every
  switch (unit) {
    case 'second':
      return new Date(year, month, day, date.getHours(), date.getMinutes(), at(date.getSeconds()))
    case 'minute':
      return new Date(year, month, day, date.getHours(), at(date.getMinutes()))
    case 'hour':
      return new Date(year, month, day, at(date.getHours()))
    case 'day':
      return new Date(year, month, at(day - 1) + 1)
    case 'week':
      return new Date(year, month, day - date.getDay() + 7 * index)
    case 'month':
      return new Date(year, at(month))
    case 'year':
      return new Date(at(year), 0)
  }
}
