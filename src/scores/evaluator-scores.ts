export type Measurement = {
  readonly repetition: number
  readonly state: 'scored' | 'failed'
  readonly score: number | null
  /** 1 or 0, where the evaluator draws a line. */
  readonly passed: number | null
  readonly label: string | null
}

/** What one trace got from one evaluator. Most have one measurement, which then stands for itself: lists of one add up. */
export type Measured = Measurement | readonly Measurement[] | undefined

/** As the database tells it. */
type ScoreRow = Omit<Measurement, 'state'> & { readonly failed: number | null }

const [NOTHING, SCORED, FAILED, SEVERAL] = [0, 1, 2, 3]
/** Where no line is drawn between pass and fail. */
export const UNDECIDED = -1

/**
 * What an evaluator said of each trace, by the trace's place. In columns of numbers: an object for each of tens of thousands of scores
 * is most of what a large comparison would hold, and the collector would go through all of them again and again.
 */
export class EvaluatorScores {
  hasFailed = false
  readonly #states: Uint8Array
  /** Not a number where there is no score. */
  readonly #scores: Float64Array
  readonly #passed: Int8Array
  readonly #repetitions: Int32Array
  readonly #labels = new Map<number, string>()
  readonly #several = new Map<number, Measurement[]>()

  constructor(places: number) {
    this.#states = new Uint8Array(places)
    this.#scores = new Float64Array(places)
    this.#passed = new Int8Array(places)
    this.#repetitions = new Int32Array(places)
  }

  add(index: number, { repetition, failed, score, passed, label }: ScoreRow): void {
    if (failed === 1) this.hasFailed = true
    const before = this.at(index)
    if (before !== undefined) {
      const state = failed === 1 ? 'failed' : 'scored'
      this.#several.set(index, [...measurementsOf(before), { repetition, state, score, passed, label }])
      this.#states[index] = SEVERAL
      return
    }
    this.#states[index] = failed === 1 ? FAILED : SCORED
    this.#scores[index] = score ?? NaN
    this.#passed[index] = passed ?? UNDECIDED
    this.#repetitions[index] = repetition
    if (label !== null) this.#labels.set(index, label)
  }

  /** The score of a trace that got this one alone, as nearly all do, without making an object of it; else not a number. */
  only(index: number): number {
    const isSingle = this.#states[index] === SCORED && this.#repetitions[index] === 1
    return isSingle ? (this.#scores[index] ?? NaN) : NaN
  }

  /** Beside `only`: 1 passed, 0 not, or `UNDECIDED`. */
  passed(index: number): number {
    return this.#passed[index] ?? UNDECIDED
  }

  at(index: number): Measured {
    const state = this.#states[index] ?? NOTHING
    if (state === NOTHING) return undefined
    if (state === SEVERAL) return this.#several.get(index)
    const score = this.#scores[index] ?? NaN
    const passed = this.#passed[index] ?? UNDECIDED
    return {
      repetition: this.#repetitions[index] ?? 1,
      state: state === SCORED ? 'scored' : 'failed',
      score: Number.isNaN(score) ? null : score,
      passed: passed === UNDECIDED ? null : passed,
      label: this.#labels.get(index) ?? null,
    }
  }
}

export function measurementsOf(measured: Measured): readonly Measurement[] {
  if (measured === undefined) return NO_MEASUREMENTS
  return 'state' in measured ? [measured] : measured
}

const NO_MEASUREMENTS: readonly Measurement[] = []
