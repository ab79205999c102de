export type Measurement = {
  readonly repetition: number
  readonly state: 'scored' | 'failed'
  readonly score: number | null
  /** 1 or 0; null if the evaluator has no pass mark. */
  readonly passed: number | null
  readonly label: string | null
}

/** The measurements of one trace by one evaluator. A single measurement is stored without an array to save memory. */
export type Measured = Measurement | readonly Measurement[] | undefined

/** A row as the database returns it. */
type ScoreRow = Omit<Measurement, 'state'> & { readonly failed: number | null }

const [NOTHING, SCORED, FAILED, SEVERAL] = [0, 1, 2, 3]
/** The evaluator has no pass mark. */
export const UNDECIDED = -1
/** The repetition of a measurement that is compared with every repetition of the other run. */
export const EVERY_REPETITION = 0

/**
 * The scores of one evaluator by the index of the trace. Stored in columns of numbers because one object per score
 * would dominate the memory of a large comparison and slow down the garbage collector.
 */
export class EvaluatorScores {
  hasFailed = false
  readonly #states: Uint8Array
  /** NaN if there is no score. */
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

  /** The score of a trace with exactly one measurement, without allocating an object. Otherwise NaN. */
  only(index: number): number {
    const isSingle = this.#states[index] === SCORED && this.#repetitions[index] === 1
    return isSingle ? (this.#scores[index] ?? NaN) : NaN
  }

  /** Valid together with `only`: 1 if passed, 0 if failed, or `UNDECIDED`. */
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
