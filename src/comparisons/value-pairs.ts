import { greatestMagnitude } from '../statistics/powers-scale.ts'

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

  /** Candidate − baseline, of each pair. */
  differences(): Float64Array {
    const differences = Float64Array.from(this.candidate)
    for (let place = 0; place < differences.length; place += 1) {
      differences[place] = (differences[place] ?? 0) - (this.baseline[place] ?? 0)
    }
    return differences
  }

  /** Of both sides, without its sign. */
  greatest(): number {
    return Math.max(greatestMagnitude(this.baseline), greatestMagnitude(this.candidate))
  }

  /** Whether there is nothing but 0 and 1. */
  isBinary(): boolean {
    return this.baseline.every(isBit) && this.candidate.every(isBit)
  }

  /** Known for pairs in the order of their items. */
  isEachItemOnce(): boolean {
    return this.itemIds.every((itemId, place) => place === 0 || (this.itemIds[place - 1] ?? '') < itemId)
  }
}

function isBit(value: number): boolean {
  return value === 0 || value === 1
}
