import { maxMagnitude } from '../../statistics/sums.ts'

/** Differences below this share of the greatest value are rounding errors. */
export const ROUNDING_SHARE = 1e-12

/**
 * One value per item and run, for one metric. Stored in columns because one object per item and metric would slow down
 * the garbage collector for tens of thousands of items.
 */
export class ItemValues {
  readonly itemIds: string[] = []
  readonly baseline: number[] = []
  readonly candidate: number[] = []

  get length(): number {
    return this.itemIds.length
  }

  add(itemId: string, baseline: number, candidate: number): void {
    this.itemIds.push(itemId)
    this.baseline.push(baseline)
    this.candidate.push(candidate)
  }

  /**
   * Candidate − baseline for each item. Rounding errors count as 0: 0.3 and 0.1 + 0.2 are the same value, and on a scale
   * from 0 to 1 so are 0 and 1e-100.
   */
  differences({
    unit = 1,
    scale = null,
  }: {
    unit?: number
    scale?: readonly [number, number] | null
  } = {}): Float64Array {
    const rounding = ROUNDING_SHARE * unit * Math.max(this.greatest(), this.changeMax(scale))
    return Float64Array.from(this.candidate, (after, index) => {
      const difference = unit * after - unit * (this.baseline[index] ?? 0)
      return Math.abs(difference) <= rounding ? 0 : difference
    })
  }

  /** By item: candidate − baseline. */
  differencesByItem(): Map<string, number> {
    const differences = this.differences()
    return new Map(this.itemIds.map((itemId, index) => [itemId, differences[index] ?? 0]))
  }

  /** The greatest absolute value of both sides. */
  greatest(): number {
    return Math.max(maxMagnitude(this.baseline), maxMagnitude(this.candidate))
  }

  /** The most that one value could change: the length of the scale, or the greatest value if there is none. */
  changeMax(scale: readonly [number, number] | null): number {
    return scale ? scale[1] - scale[0] : this.greatest()
  }

  /** True if all values are 0 or 1. */
  isBinary(): boolean {
    return this.baseline.every(isBit) && this.candidate.every(isBit)
  }

  /** A copy with further items. */
  with(more: readonly { itemId: string; baseline: number; candidate: number }[]): ItemValues {
    const all = new ItemValues()
    for (const [index, itemId] of this.itemIds.entries())
      all.add(itemId, this.baseline[index] ?? NaN, this.candidate[index] ?? NaN)
    for (const { itemId, baseline, candidate } of more) all.add(itemId, baseline, candidate)
    return all
  }
}

function isBit(value: number): boolean {
  return value === 0 || value === 1
}
