/** How good the candidates are on the validation items, and what to expect of the best one on new items. */
import { runInSlices } from '../../base/event-loop.ts'
import type { Interval } from '../../statistics/interval.ts'
import { meanOnScale } from '../../statistics/mean-on-scale.ts'
import { expectedOnNewItems } from '../../statistics/split-selection.ts'
import { bestValidated, isValidated, type Search, validationMean } from '../search/search.ts'

export type Validation = {
  items: number
  start: number | null
  startCi: [number, number] | null
  best: { number: number; mean: number; ci: [number, number] | null } | null
  /** The difference from the start, which is less than on the items that chose the best. */
  expectedOnNew: { difference: number; ci: [number, number] | null } | null
  candidates: number
}

const CANDIDATES_MAX = 49

export async function measureValidation(search: Search): Promise<Validation> {
  const { settings, candidates } = search
  const validated = candidates.filter((one) => one.number > 0 && isValidated(one)).map(({ number }) => number)
  const start = validationMean(search, 0) ?? null
  const found = bestValidated(search)
  const best = found ? { ...found, ci: validationInterval(search, found.number) } : null
  const startCi = validationInterval(search, 0)
  const counts = { items: settings.validation.length, start, startCi, best, candidates: validated.length }
  return { ...counts, expectedOnNew: await expectOnNew(search, validated) }
}

/** What to expect of the best of these candidates. Null without one, and with fewer than ten items. */
export async function expectOnNew(
  { settings, valueFor }: Search,
  candidates: readonly number[],
): Promise<Validation['expectedOnNew']> {
  // All of them count in the choice. Of more than a comparison can have, the newest do.
  const compared = candidates.slice(-CANDIDATES_MAX)
  const common = settings.validation.filter((item) =>
    [0, ...compared].every((number) => typeof valueFor(number, item) === 'number'),
  )
  if (compared.length === 0) return null
  const gains = compared.map((number) =>
    Float64Array.from(common, (item) => (valueFor(number, item) ?? 0) - (valueFor(0, item) ?? 0)),
  )
  const found = await runInSlices(expectedOnNewItems(gains, { seed: `experiment:${settings.seed}` }))
  return found ? { difference: found.difference, ci: pairOf(found.interval) } : null
}

/** Of the mean on the validation items. */
export function validationInterval({ settings, valueFor }: Search, number: number): [number, number] | null {
  const values = settings.validation.map((item) => valueFor(number, item)).filter((value) => typeof value === 'number')
  return pairOf(meanOnScale(Float64Array.from(values), [0, 1])?.interval)
}

function pairOf(interval: Interval | undefined): [number, number] | null {
  return interval ? [interval[0], interval[1]] : null
}
