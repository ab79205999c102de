import { scaleLinear } from 'd3-scale'

export interface PercentScale {
  /** The location on the axis, from 0 to 100. Values outside are clamped, so that no mark leaves its plot. */
  at: (value: number) => number
  /** The same as an attribute: "37.5%". */
  x: (value: number) => string
  ticks: (count: number) => number[]
}

/** Charts use percent instead of pixels across, so that they stretch with their column and their text never scales. */
export function percentScale([low, high]: readonly [number, number]): PercentScale {
  const scale = scaleLinear([low, high], [0, 100]).clamp(true)
  const at = (value: number) => Math.round(scale(value) * 100) / 100
  return { at, x: (value) => `${at(value)}%`, ticks: (count) => scale.ticks(count) }
}

/** The domain that holds all values, with room at both ends, at round numbers. */
export function niceDomain(values: number[], tickCount = 5): readonly [number, number] {
  const low = Math.min(...values)
  const high = Math.max(...values)
  const room = (high - low || Math.abs(high) || 1) * 0.04
  const [from = 0, to = 1] = scaleLinear([low - room, high + room], [0, 1])
    .nice(tickCount)
    .domain()
  return [from, to]
}
