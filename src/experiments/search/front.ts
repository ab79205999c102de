import { isValidated, ROUNDING, type Search } from './search.ts'

/** A candidate and the number of validation items on which no other is better. */
export type FrontMember = { number: number; best: number }

/**
 * The candidates that no other one dominates: each is best on some items, so that what they do well can be kept. One that is nowhere better
 * than another, and somewhere worse, is not among them; of equal ones the first is.
 */
export function frontOf({ candidates, settings, valueFor }: Search): FrontMember[] {
  const rows = candidates.filter(isValidated).map(({ number }) => ({
    number,
    values: settings.validation.map((item) => valueFor(number, item) ?? null),
  }))
  const open = rows.filter((row) => !rows.some((other) => other !== row && dominates(other, row)))
  const greatest = settings.validation.map((_, item) =>
    open.reduce((most, { values }) => Math.max(most, values[item] ?? -Infinity), -Infinity),
  )
  return open.map(({ number, values }) => ({
    number,
    best: values.filter((value, item) => value !== null && value >= (greatest[item] ?? 0) - ROUNDING).length,
  }))
}

type Row = { number: number; values: readonly (number | null)[] }

function dominates(one: Row, other: Row): boolean {
  let isBetter = false
  for (const [item, value] of one.values.entries()) {
    const against = other.values[item] ?? null
    if (value === null || against === null) continue
    if (value < against - ROUNDING) return false
    if (value > against + ROUNDING) isBetter = true
  }
  return isBetter || one.number < other.number
}
