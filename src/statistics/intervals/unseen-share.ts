/**
 * The greatest share of a population that a sample of n may miss completely: with a larger share, the chance of seeing
 * none is below 1 − confidence. 1 − (1 − confidence)^(1/n), about 3/n for 0.95; 1 if n is 0.
 *
 * The exact form of the rule of three: Hanley, J. A. & Lippman-Hand, A. (1983), If nothing goes wrong, is everything all
 * right?, JAMA 249, 1743–1745; it is the one-sided limit of Clopper & Pearson (1934) for 0 of n.
 */
export function unseenShare(n: number, confidence = 0.95): number {
  if (!(Number.isInteger(n) && n >= 0)) throw new RangeError(`A sample has a whole number of cases, not ${n}.`)
  return n === 0 ? 1 : -Math.expm1(Math.log1p(-confidence) / n)
}

/** The number of cases in which a share of this size is seen at least once with this confidence; the inverse. */
export function casesToSee(share: number, confidence = 0.95): number {
  if (!(share > 0 && share <= 1)) throw new RangeError(`A share to see lies above 0 and at most at 1, not at ${share}.`)
  return share === 1 ? 1 : Math.ceil((Math.log1p(-confidence) / Math.log1p(-share)) * (1 - 1e-12))
}
