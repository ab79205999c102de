import { maxMagnitude } from '../../statistics/overflow-scale.ts'

/** Differences below this share of the greatest value are rounding errors. */
const ROUNDING_SHARE = 1e-12

/**
 * The value pairs of one metric. Several pairs of one item are repetitions. Stored in columns because one object per
 * pair and metric would slow down the garbage collector for tens of thousands of pairs.
 */
export class ValuePairs {
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

  /** Candidate − baseline for each pair. Rounding errors count as 0: 0.3 and 0.1 + 0.2 are the same value. */
  differences(): Float64Array {
    const differences = Float64Array.from(this.candidate)
    const rounding = ROUNDING_SHARE * this.greatest()
    for (let index = 0; index < differences.length; index += 1) {
      const difference = (differences[index] ?? 0) - (this.baseline[index] ?? 0)
      differences[index] = Math.abs(difference) <= rounding ? 0 : difference
    }
    return differences
  }

  /** The greatest absolute value of both sides. */
  greatest(): number {
    return Math.max(maxMagnitude(this.baseline), maxMagnitude(this.candidate))
  }

  /** The least and the greatest value of both sides and of these further values. */
  range(more: readonly { baseline: number | undefined; candidate: number | undefined }[] = []): [number, number] {
    let [least, most] = [Infinity, -Infinity]
    const add = (value: number | undefined) => {
      if (value === undefined) return
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
    this.baseline.forEach(add)
    this.candidate.forEach(add)
    for (const { baseline, candidate } of more) {
      add(baseline)
      add(candidate)
    }
    return [least, most]
  }

  /** The mean of candidate − baseline for each item. */
  differencesByItem(): Map<string, number> {
    const sums = new Map<string, { sum: number; count: number }>()
    for (const [index, difference] of this.differences().entries()) {
      const itemId = this.itemIds[index] ?? ''
      const known = sums.get(itemId)
      if (known) {
        known.sum += difference
        known.count += 1
      } else sums.set(itemId, { sum: difference, count: 1 })
    }
    return new Map(Array.from(sums, ([itemId, { sum, count }]) => [itemId, sum / count]))
  }

  countItems(): number {
    return this.isEachItemOnce() ? this.length : new Set(this.itemIds).size
  }

  /** A copy with further pairs, ordered by item. */
  withItems(more: readonly { itemId: string; baseline: number; candidate: number }[]): ValuePairs {
    const all = this.itemIds.map((itemId, index) => ({
      itemId,
      baseline: this.baseline[index] ?? NaN,
      candidate: this.candidate[index] ?? NaN,
    }))
    const merged = new ValuePairs()
    const ordered = [...all, ...more].sort((a, b) => (a.itemId < b.itemId ? -1 : a.itemId > b.itemId ? 1 : 0))
    for (const { itemId, baseline, candidate } of ordered) merged.add(itemId, baseline, candidate)
    return merged
  }

  /** True if all values are 0 or 1. */
  isBinary(): boolean {
    return this.baseline.every(isBit) && this.candidate.every(isBit)
  }

  /** Requires pairs that are ordered by item. */
  isEachItemOnce(): boolean {
    return this.itemIds.every((itemId, index) => index === 0 || (this.itemIds[index - 1] ?? '') < itemId)
  }
}

function isBit(value: number): boolean {
  return value === 0 || value === 1
}
