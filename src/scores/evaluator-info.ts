/** The properties of an evaluator that a comparison needs, as reported by an evaluation. */
export type EvaluatorInfo = {
  readonly kind: 'binary' | 'numeric' | 'categorical' | null
  readonly scale: readonly [number, number] | null
  readonly higherIsBetter: boolean
}

/** Used if an evaluation reports nothing: most scores are between 0 and 1, and higher is better. */
export const DEFAULT_INFO: EvaluatorInfo = { kind: null, scale: [0, 1], higherIsBetter: true }
