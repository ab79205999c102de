import { greatestMagnitude } from '../statistics/powers-scale.ts'

/**
 * Pairs of values of one metric, one on each side; those of one item are repetitions. In columns: an object for each of tens of
 * thousands of pairs, for every metric, would keep the collector busy for longer than the numbers take to compare.
 */
export class ValuePairs {
  readonly itemIds: string[] = []
  readonly baseline: number[] = []
  readonly candidate: number[] = []

  static of(pairs: Iterable<{ itemId: string; baseline: number; candidate: number }>): ValuePairs {
    const values = new ValuePairs()
    for (const { itemId, baseline, candidate } of pairs) values.add(itemId, baseline, candidate)
    return values
  }

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

  isEach(test: (value: number) => boolean): boolean {
    return this.baseline.every(test) && this.candidate.every(test)
  }

  /** Known for pairs in the order of their items. */
  isEachItemOnce(): boolean {
    return this.itemIds.every((itemId, place) => place === 0 || (this.itemIds[place - 1] ?? '') < itemId)
  }
}
