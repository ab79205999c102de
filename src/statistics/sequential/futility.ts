import { nextRandom, type RandomState, seededRandom } from '../random/seeded-random.ts'
import type { Slices } from '../slices.ts'
import { STAKES } from './unplanned-looks.ts'

/** Changes of items between −1 and 1; one that is missing is NaN, and has its worst value in `atWorst`. */
export type Changes = { readonly values: Float64Array; readonly atWorst: Float64Array }

/** What the evidence must reach: against this mean, of both directions or only that the mean is higher. */
export type Claim = { readonly mean: number; readonly threshold: number; readonly directions: 'both' | 'rising' }

type Future = {
  /** The numbers of items of the looks to come, ascending. */
  readonly sizes: readonly number[]
  /** At least one of them must be reached. */
  readonly claims: readonly Claim[]
  readonly seed: string
}

/**
 * Whether the evidence will hardly reach a claim at one of the looks to come, by what the items so far show: with a
 * probability below 10 %. The items to come are drawn from them, each drawn one with a copy, so that a few items do not
 * pass for certain knowledge.
 *
 * The predictive power of Spiegelhalter, D. J., Freedman, L. S. & Blackburn, P. R. (1986), Monitoring clinical trials:
 * conditional or predictive power?, Controlled Clinical Trials 7, 8–17; the urn is that of the Bayesian bootstrap: Lo, A.
 * Y. (1988), Annals of Statistics 16, 1684–1695.
 */
export function* isFutile({ values, atWorst }: Changes, { sizes, claims, seed }: Future): Slices<boolean> {
  const seen = values.length
  const last = sizes.at(-1) ?? seen
  if (seen === 0 || last <= seen || claims.length === 0) return true
  const bets = claims.flatMap((claim) => betsOf(claim))
  const { kindOf, logs } = tabulate({ values, atWorst }, bets)
  const atStart = new Float64Array(bets.length)
  for (let item = 0; item < seen; item += 1) addTo(atStart, logs, kindOf[item] ?? 0)
  const kinds = new Uint32Array(last)
  kinds.set(kindOf)
  const game = { seen, sizes, claims, atStart, logs, kinds, capital: new Float64Array(bets.length) }
  const random = seededRandom(seed)
  const futuresPerSlice = Math.ceil(ADDITIONS_PER_SLICE / ((last - seen) * bets.length))
  let reached = 0
  for (let future = 0; future < FUTURES; future += 1) {
    if (reached === 0 && future === HOPELESS) return true
    if (reachesClaim(game, random)) reached += 1
    if (reached >= FUTILE_BELOW * FUTURES) return false
    if (future % futuresPerSlice === futuresPerSlice - 1) yield
  }
  return true
}

/** A candidate with less hope than this to be decided ends, from half of the items on. */
const FUTILE_BELOW = 0.1
/** A share of 10 % then has a standard error of 1.5 points. */
const FUTURES = 400
/** If none of the first futures reaches a claim, a tenth of all would do so in 3 of 100,000 cases. */
const HOPELESS = 100
const ADDITIONS_PER_SLICE = 500_000

type Bet = { readonly stake: number; readonly mean: number; readonly paidBy: 'values' | 'atWorst' }

/** In the order in which `isReached` reads them: those that the mean is higher, then those that it is lower. */
function betsOf({ mean, directions }: Claim): Bet[] {
  const rising = STAKES.map((stake): Bet => ({ stake: stake / (1 + mean), mean, paidBy: 'atWorst' }))
  const falling = STAKES.map((stake): Bet => ({ stake: -stake / (1 - mean), mean, paidBy: 'values' }))
  return directions === 'both' ? [...rising, ...falling] : rising
}

/** Scores have few distinct values: the kind of each item, and for each kind what it adds to the logarithm of each bet. */
function tabulate({ values, atWorst }: Changes, bets: readonly Bet[]): { kindOf: Uint32Array; logs: Float64Array } {
  const kinds = new Map<string, number>()
  const rows: number[] = []
  const kindOf = Uint32Array.from(values, (value, item) => {
    const worst = atWorst[item] ?? NaN
    const key = `${value} ${worst}`
    const known = kinds.get(key)
    if (known !== undefined) return known
    kinds.set(key, kinds.size)
    for (const { stake, mean, paidBy } of bets) {
      const paid = paidBy === 'values' ? value : worst
      rows.push(Number.isNaN(paid) ? 0 : Math.log1p(stake * (paid - mean)))
    }
    return kinds.size - 1
  })
  return { kindOf, logs: Float64Array.from(rows) }
}

type Game = Pick<Future, 'sizes' | 'claims'> & {
  readonly seen: number
  readonly atStart: Float64Array
  readonly logs: Float64Array
  /** Of the items seen and, behind them, of those that are drawn. */
  readonly kinds: Uint32Array
  readonly capital: Float64Array
}

/** One future. Not part of the generator, in which loops are slower. */
function reachesClaim({ seen, sizes, claims, atStart, logs, kinds, capital }: Game, random: RandomState): boolean {
  capital.set(atStart)
  let size = seen
  for (const next of sizes) {
    for (; size < next; size += 1) {
      const kind = kinds[Math.floor(nextRandom(random) * size)] ?? 0
      kinds[size] = kind
      addTo(capital, logs, kind)
    }
    if (isReached(claims, capital)) return true
  }
  return false
}

function addTo(sums: Float64Array, logs: Float64Array, kind: number): void {
  const bets = sums.length
  for (let bet = 0; bet < bets; bet += 1) sums[bet] = (sums[bet] ?? 0) + (logs[kind * bets + bet] ?? 0)
}

function isReached(claims: readonly Claim[], capital: Float64Array): boolean {
  let from = 0
  return claims.some(({ threshold, directions }) => {
    const count = directions === 'both' ? 2 * STAKES.length : STAKES.length
    let [sum, most] = [0, -Infinity]
    for (let bet = from; bet < from + count; bet += 1) most = Math.max(most, capital[bet] ?? 0)
    // Hardly any future needs the exponentials: no mean is above the greatest one.
    if (most >= Math.log(threshold))
      for (let bet = from; bet < from + count; bet += 1) sum += Math.exp(capital[bet] ?? 0)
    from += count
    return sum / count >= threshold
  })
}
