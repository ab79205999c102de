import { maxMagnitude } from '../statistics/overflow-scale.ts'

/** What is smaller than this share of the values is what subtracting leaves of equal numbers. */
const ROUNDING_SHARE = 1e-12

/**
 * Pairs of values of one metric, one on each side; those of one item are repetitions. In columns: an object for each of tens of
 * thousands of pairs, for every metric, would keep the collector busy for longer than the numbers take to compare.
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

  /** Candidate − baseline, of each pair. What is left of subtracting equal numbers is 0: 0.3 and 0.1 + 0.2 are one value. */
  differences(): Float64Array {
    const differences = Float64Array.from(this.candidate)
    const rounding = ROUNDING_SHARE * this.greatest()
    for (let index = 0; index < differences.length; index += 1) {
      const difference = (differences[index] ?? 0) - (this.baseline[index] ?? 0)
      differences[index] = Math.abs(difference) <= rounding ? 0 : difference
    }
    return differences
  }

  /** Of both sides, without its sign. */
  greatest(): number {
    return Math.max(maxMagnitude(this.baseline), maxMagnitude(this.candidate))
  }

  /** Whether there is nothing but 0 and 1. */
  isBinary(): boolean {
    return this.baseline.every(isBit) && this.candidate.every(isBit)
  }

  /** Known for pairs in the order of their items. */
  isEachItemOnce(): boolean {
    return this.itemIds.every((itemId, index) => index === 0 || (this.itemIds[index - 1] ?? '') < itemId)
  }
}

function isBit(value: number): boolean {
  return value === 0 || value === 1
}
