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
type Added = Omit<Measurement, 'state'> & { readonly failed: number | null }

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

  add(place: number, { repetition, failed, score, passed, label }: Added): void {
    if (failed === 1) this.hasFailed = true
    const before = this.at(place)
    if (before !== undefined) {
      const state = failed === 1 ? 'failed' : 'scored'
      this.#several.set(place, [...measurementsOf(before), { repetition, state, score, passed, label }])
      this.#states[place] = SEVERAL
      return
    }
    this.#states[place] = failed === 1 ? FAILED : SCORED
    this.#scores[place] = score ?? NaN
    this.#passed[place] = passed ?? UNDECIDED
    this.#repetitions[place] = repetition
    if (label !== null) this.#labels.set(place, label)
  }

  /** The score of a trace that got this one alone, as nearly all do, without making an object of it; else not a number. */
  only(place: number): number {
    const isAlone = this.#states[place] === SCORED && this.#repetitions[place] === 1
    return isAlone ? (this.#scores[place] ?? NaN) : NaN
  }

  /** Beside `only`: 1 passed, 0 not, or `UNDECIDED`. */
  passed(place: number): number {
    return this.#passed[place] ?? UNDECIDED
  }

  at(place: number): Measured {
    const state = this.#states[place] ?? NOTHING
    if (state === NOTHING) return undefined
    if (state === SEVERAL) return this.#several.get(place)
    const score = this.#scores[place] ?? NaN
    const passed = this.#passed[place] ?? UNDECIDED
    return {
      repetition: this.#repetitions[place] ?? 1,
      state: state === SCORED ? 'scored' : 'failed',
      score: Number.isNaN(score) ? null : score,
      passed: passed === UNDECIDED ? null : passed,
      label: this.#labels.get(place) ?? null,
    }
  }
}

export function measurementsOf(measured: Measured): readonly Measurement[] {
  if (measured === undefined) return NONE
  return 'state' in measured ? [measured] : measured
}

const NONE: readonly Measurement[] = []
