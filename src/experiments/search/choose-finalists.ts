import { bestValidated, isValidated, ROUNDING, type Search, validationMean } from './search.ts'

type Choice = {
  count: number
  /** Why a candidate may not be chosen, such as another metric that became worse; undefined if it may. */
  whyNot(number: number): string | undefined
  /** Of candidates with the same mean, the one with the lower value is better. */
  tieBreak(number: number): number
}

/** The best candidates on the validation items that are better there than the start; the best first. */
export function chooseFinalists(search: Search, { count, whyNot, tieBreak }: Choice): number[] {
  const start = validationMean(search, 0)
  if (start === undefined || bestValidated(search) === undefined) return []
  const better = search.candidates
    .filter((candidate) => candidate.number > 0 && isValidated(candidate))
    .map(({ number }) => ({ number, mean: validationMean(search, number) ?? 0, tie: tieBreak(number) }))
    .filter(({ number, mean }) => mean > start + ROUNDING && whyNot(number) === undefined)
  const order = (one: (typeof better)[number], other: (typeof better)[number]) => {
    if (Math.abs(other.mean - one.mean) > ROUNDING) return other.mean - one.mean
    return one.tie - other.tie || one.number - other.number
  }
  return better
    .sort(order)
    .slice(0, count)
    .map(({ number }) => number)
}
