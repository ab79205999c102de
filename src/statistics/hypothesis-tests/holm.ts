/**
 * The p-values of several tests, corrected so that the probability of at least one false positive stays at the level of
 * a single test; in the given order. Compare them with the same level as before, such as 0.05.
 *
 * Holm, S. (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6,
 * 65–70, as adjusted p-values like those of R's `p.adjust(method = "holm")`.
 */
export function holmAdjusted(ps: readonly number[]): number[] {
  const invalid = ps.find((p) => !(p >= 0 && p <= 1))
  if (invalid !== undefined) throw new RangeError(`A p lies between 0 and 1, not at ${invalid}.`)
  const ascending = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p)
  const adjusted = new Array<number>(ps.length).fill(1)
  let greatestSoFar = 0
  for (const [rank, { p, index }] of ascending.entries()) {
    // A test is never easier than the one before it: once one is not rejected, none after it is.
    greatestSoFar = Math.max(greatestSoFar, Math.min(1, (ps.length - rank) * p))
    adjusted[index] = greatestSoFar
  }
  return adjusted
}
