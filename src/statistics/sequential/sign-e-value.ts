import { logChoose } from '../distributions/log-gamma.ts'

/**
 * The e-value of gains against losses: evidence that one is more probable than the other, which stays valid however
 * often it is looked at. If both are equally probable, it ever reaches 20 in at most 5 of 100 comparisons.
 *
 * The likelihood of the gains among the cases that changed, averaged over all probabilities (the Beta(1, 1) mixture),
 * divided by the likelihood at ½: B(1 + g, 1 + l) · 2^(g + l) = 2ⁿ / ((n + 1) · C(n, g)). Ville, J. (1939), Étude
 * critique de la notion de collectif; Howard, S. R., Ramdas, A., McAuliffe, J. & Sekhon, J. (2021), Time-uniform,
 * nonparametric, nonasymptotic confidence sequences, Annals of Statistics 49, 1055–1080.
 */
export function signEValue({ gained, lost }: { readonly gained: number; readonly lost: number }): number {
  if (!(Number.isInteger(gained) && Number.isInteger(lost) && gained >= 0 && lost >= 0)) {
    throw new RangeError(`Gained and lost cases are counted in whole numbers, not ${gained} and ${lost}.`)
  }
  const n = gained + lost
  return Math.min(Number.MAX_VALUE, Math.exp(n * Math.LN2 - Math.log(n + 1) - logChoose(n, Math.min(gained, lost))))
}
