/** How good the candidates are on the validation items, and what to expect of the best one on new items. */
import { runInSlices } from '../../base/event-loop.ts'
import { expectedOnNewItems } from '../../statistics/split-selection.ts'
import { bestValidated, isValidated, type Search, validationMean } from '../search/search.ts'

export type Validation = {
  items: number
  start: number | null
  best: { number: number; mean: number } | null
  /** The difference from the start, which is less than on the items that chose the best. */
  expectedOnNew: { difference: number; ci: [number, number] | null } | null
  candidates: number
}

const CANDIDATES_MAX = 49

export async function measureValidation(search: Search): Promise<Validation> {
  const { settings, candidates, valueFor } = search
  const validated = candidates.filter((one) => one.number > 0 && isValidated(one)).map(({ number }) => number)
  const start = validationMean(search, 0) ?? null
  const best = bestValidated(search) ?? null
  const counts = { items: settings.validation.length, start, best, candidates: validated.length }
  // All of them count in the choice. Of more than a comparison can have, the newest do.
  const compared = validated.slice(-CANDIDATES_MAX)
  const common = settings.validation.filter((item) =>
    [0, ...compared].every((number) => typeof valueFor(number, item) === 'number'),
  )
  if (compared.length === 0) return { ...counts, expectedOnNew: null }
  const gains = compared.map((number) =>
    Float64Array.from(common, (item) => (valueFor(number, item) ?? 0) - (valueFor(0, item) ?? 0)),
  )
  const found = await runInSlices(expectedOnNewItems(gains, { seed: `experiment:${settings.seed}` }))
  const ci = found?.interval
  const expectedOnNew = found
    ? { difference: found.difference, ci: ci ? ([ci[0], ci[1]] as [number, number]) : null }
    : null
  return { ...counts, expectedOnNew }
}
