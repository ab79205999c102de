import { pauseEvery, runInSlices, yieldToEventLoop } from '../base/event-loop.ts'
import { cohenKappa } from '../statistics/agreement/cohen-kappa.ts'
import { formatFixed } from '../statistics/interval.ts'
import type { RatingUnits } from './rating-units.ts'

const RATERS_MAX = 50
const UNITS_PER_SLICE = 500

export type RaterPair = {
  a: string
  b: string
  shared: number
  kappa: number | null
  ci: readonly [number, number] | null
  method: string
  /** How often the two gave which combination of ratings. */
  ratings: { a: string; b: string; count: number }[]
}

/** The agreement of each pair of raters who rated the same traces. Limited to the raters with the most ratings. */
export async function pairRaters(
  { units, categories }: RatingUnits,
  { raters, ordered }: { raters: readonly { userId: string }[]; ordered: boolean },
): Promise<RaterPair[]> {
  const userIds = raters.slice(0, RATERS_MAX).map(({ userId }) => userId)
  const indexes = new Map(userIds.map((userId, index) => [userId, index]))
  const tables = new Map<number, Table>()
  const pause = pauseEvery(UNITS_PER_SLICE)
  for (const unit of units.values()) {
    const ratings = [...unit].flatMap(([userId, { rating }]) => {
      const index = indexes.get(userId)
      return index === undefined ? [] : [{ index, rating }]
    })
    ratings.sort((left, right) => left.index - right.index)
    ratings.forEach((first, at) => {
      for (const second of ratings.slice(at + 1)) count(tables, first, second)
    })
    await pause()
  }
  const pairs: RaterPair[] = []
  for (const [key, table] of [...tables].sort(([left], [right]) => left - right)) {
    const [a = '', b = ''] = [userIds[Math.floor(key / RATERS_MAX)], userIds[key % RATERS_MAX]]
    pairs.push({ a, b, ...(await agreementOf(table, ordered ? categories : undefined)) })
    await yieldToEventLoop()
  }
  return pairs
}

/** Fewer shared traces are not sufficient to estimate the agreement of two raters. */
const SHARED_MIN = 20

/** Adds a summary to each pair, and removes the estimates of pairs with too few shared traces. */
export function summarizePairs<Pair extends Pick<RaterPair, 'shared' | 'kappa' | 'ci'>>(
  pairs: readonly Pair[],
): (Pair & { summary: string })[] {
  return pairs.map((pair) => {
    const { shared, kappa, ci } = pair
    if (shared < SHARED_MIN) {
      return { ...pair, kappa: null, ci: null, summary: `too few shared traces: ${shared} of at least ${SHARED_MIN}` }
    }
    if (kappa === null) return { ...pair, summary: `κ is undefined because all ratings are equal; ${shared} traces` }
    const interval = ci ? ` (95 % CI ${ci.map((end) => formatFixed(end, 2)).join(' to ')})` : ''
    return { ...pair, summary: `κ ${formatFixed(kappa, 2)}${interval}; ${shared} traces` }
  })
}

/** Counts the combinations of ratings of two raters. The size does not depend on the number of shared traces. */
type Table = Map<string, Map<string, number>>
type RaterRating = { index: number; rating: string }

function count(tables: Map<number, Table>, first: RaterRating, second: RaterRating): void {
  const key = first.index * RATERS_MAX + second.index
  const table = tables.get(key) ?? new Map<string, Map<string, number>>()
  tables.set(key, table)
  const row = table.get(first.rating) ?? new Map<string, number>()
  table.set(first.rating, row)
  row.set(second.rating, (row.get(second.rating) ?? 0) + 1)
}

async function agreementOf(table: Table, order: readonly string[] | undefined): Promise<Omit<RaterPair, 'a' | 'b'>> {
  const ratings = [...table].flatMap(([a, row]) => [...row].map(([b, count]) => ({ a, b, count })))
  const pairs = ratings.flatMap(({ a, b, count }) => Array.from({ length: count }, () => [a, b] as const))
  const { n, kappa, interval } = await runInSlices(cohenKappa(pairs, { order }))
  const method = order ? WEIGHTED_KAPPA : COHEN_KAPPA
  return { shared: n, kappa: kappa ?? null, ci: interval ?? null, method, ratings: ratings.sort(compareRatings) }
}

type RatingPair = { a: string; b: string }

function compareRatings(left: RatingPair, right: RatingPair): number {
  if (left.a !== right.a) return left.a < right.a ? -1 : 1
  return left.b < right.b ? -1 : 1
}

export const AGREEMENT_INTERVAL =
  'interval by the Bayesian bootstrap with one more pair in agreement and half a pair in disagreement'
export const COHEN_KAPPA = `Cohen’s kappa, ${AGREEMENT_INTERVAL}`
const WEIGHTED_KAPPA = `Cohen’s kappa with quadratic weights, ${AGREEMENT_INTERVAL}`
