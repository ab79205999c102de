import { E_VALUE_MIN } from './e-values.ts'
import { unplannedLooks } from './unplanned-looks.ts'

/** The variant with the greatest mean, and the evidence that it is better than the one from which it differs least. */
export type Leader = { readonly index: number; readonly evidence: number; readonly isShown: boolean }

/**
 * The variant that leads, the baseline included, and whether it is shown to be the best: against each of the others, not
 * only against the baseline. All have a value in the same items, as shares of the scale. Undefined with fewer than two.
 *
 * Equal variants show a best one in at most 5 of 100 trials, however often they are looked at: of two by the property of
 * the evidence, of more in fewer, because one of them must differ from all others. It needs no correction for their
 * number: an intersection-union test, Berger, R. L. (1982), Technometrics 24, 295–300.
 */
export function shownBest(values: readonly Float64Array[]): Leader | undefined {
  const [first] = values
  if (values.length < 2 || !first || first.length === 0) return undefined
  const totals = values.map((ofVariant) => ofVariant.reduce((sum, value) => sum + value, 0))
  const index = totals.indexOf(Math.max(...totals))
  const leader = values[index] ?? first
  let evidence = Infinity
  for (const [other, ofOther] of values.entries()) {
    if (other === index) continue
    const gains = leader.map((value, item) => value - (ofOther[item] ?? 0))
    evidence = Math.min(evidence, unplannedLooks(gains).eValue(0))
  }
  return { index, evidence, isShown: evidence >= E_VALUE_MIN }
}
