import { logGamma } from '../distributions.ts'
import type { Discordant } from '../paired-tests.ts'

/** An e-process above this is evidence against its hypothesis at a level of 5 %, at whatever time it is looked at. */
export const E_VALUE_MIN = 20

/**
 * The e-value of discordant pairs against the hypothesis that both directions are equally likely: the likelihood of the
 * pairs, averaged over all probabilities by Beta(½, ½), by that of one half. Its mean is 1 if the hypothesis is true.
 *
 * Robbins, H. (1970), Statistical methods related to the law of the iterated logarithm, Annals of Mathematical Statistics
 * 41, 1397–1409; as a test of paired binary outcomes: Howard, S. R. et al. (2021), Annals of Statistics 49, 1055–1080.
 */
export function discordantEValue({ gained, lost }: Discordant): number {
  const logRatio = logBeta(0.5 + gained, 0.5 + lost) - logBeta(0.5, 0.5)
  return Math.exp(logRatio + (gained + lost) * Math.LN2)
}

/** The mean of e-values is an e-value, whatever their dependence: Vovk, V. & Wang, R. (2021), Annals of Statistics 49, 1736–1754. */
export function meanEValue(values: readonly number[]): number {
  return values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * An e-process of e-values that are computed one after the other and depend on each other, such as comparisons of each
 * evaluation with the same first one: Σ eₜ / (t (t + 1)). The weights add up to 1, so that its limit is an e-value, and
 * since it never falls, the probability that it ever reaches 20 is at most 1/20.
 */
export function spendingEProcess(values: readonly number[]): number {
  return values.reduce((sum, value, index) => sum + value / ((index + 1) * (index + 2)), 0)
}

/**
 * The evidence that each of several hypotheses needs, so that any of the true ones is rejected in at most 5 of 100 cases:
 * `least`, which is 20 for one alone, and what each of the others lacks of it. The first of k needs at most k · `least`;
 * one that is rejected lacks nothing, so that the others then need less, as in Holm's procedure.
 *
 * The procedure e-Holm of Vovk, V. & Wang, R. (2021), Annals of Statistics 49, 1736–1754, solved for the threshold: every
 * set of hypotheses with this one must have e-values whose mean is at least `least`. For e-processes that are looked at
 * together it holds for all looks: Hartog, W. & Lei, L. (2025), Family-wise error rate control with e-values, arXiv
 * 2501.09015. Not for their running maxima, whose mean is no e-process.
 */
export function eHolmThresholds(values: readonly number[], least = E_VALUE_MIN): number[] {
  const lacking = values.map((value) => Math.max(0, least - value))
  // Not the sum of all less the own one: its rounding errors could exceed what the others lack.
  return values.map((_, index) => lacking.reduce((sum, one, other) => (other === index ? sum : sum + one), least))
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}
