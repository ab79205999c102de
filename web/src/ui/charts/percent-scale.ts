import { type Change, NO_CHANGE } from './estimate.ts'
import { linearScale, linearTicks, niceTicksDomain } from './ticks.ts'

export interface PercentScale {
  /** The location on the axis, from 0 to 100. Values outside are clamped, so that no mark leaves its plot. */
  at: (value: number) => number
  /** The same as an attribute: "37.5%". */
  x: (value: number) => string
  ticks: (count: number) => number[]
}

/** Charts use percent instead of pixels across, so that they stretch with their column and their text never scales. */
export function percentScale([low, high]: readonly [number, number], change?: Change): PercentScale {
  const of = change === 'ratio' ? Math.log : (value: number) => value
  const scale = linearScale([of(low), of(high)], [0, 100])
  const at = (value: number) => Math.round(Math.min(100, Math.max(0, scale(of(value)))) * 100) / 100
  return {
    at,
    x: (value) => `${at(value)}%`,
    ticks: (count) => (change === 'ratio' ? ratioTicks([low, high], count) : linearTicks([low, high], count)),
  }
}

/** The domain that holds all values, with room at both ends, at round numbers. */
export function niceDomain(values: number[], tickCount = 5): readonly [number, number] {
  const low = Math.min(...values)
  const high = Math.max(...values)
  const room = (high - low || Math.abs(high) || 1) * 0.04
  return niceTicksDomain([low - room, high + room], tickCount)
}

/** The domain of changes: it includes "no change". */
export function changeDomain(values: number[], change: Change): readonly [number, number] {
  if (change === 'difference') return niceDomain([...values, NO_CHANGE.difference])
  const logs = [...values.filter((value) => value > 0), NO_CHANGE.ratio].map(Math.log)
  const [low, high] = [Math.min(...logs), Math.max(...logs)]
  const room = Math.max(0.08 * (high - low), ROOM_MIN)
  return [Math.exp(low - room), Math.exp(high + room)]
}

/** On both sides, so that a ratio near 1 is not drawn as a great change. */
const ROOM_MIN = Math.log(1.02)

/** Differences with 0, or ratios with 1, in the middle. */
export function centeredDomain(values: number[], change: Change): readonly [number, number] {
  if (change === 'difference') {
    const reach = Math.max(...values.map(Math.abs), Number.MIN_VALUE)
    return [-reach, reach]
  }
  const reach = Math.max(...values.filter((value) => value > 0).map((value) => Math.abs(Math.log(value))), ROOM_MIN)
  return [Math.exp(-reach), Math.exp(reach)]
}

/** Few ticks at round numbers, 1 among them: a log scale alone has either too many or none between 1 and 2. */
function ratioTicks([low, high]: readonly [number, number], count: number): number[] {
  if (high / low < 3) return linearTicks([low, high], count)
  const isShown = (tick: number) => tick >= low && tick <= high
  const powers = Array.from({ length: 13 }, (_, index) => 10 ** (index - 6))
  const ticks = powers.flatMap((power) => [power, 2 * power, 5 * power]).filter(isShown)
  return ticks.length > 2 * count ? powers.filter(isShown) : ticks
}
