/**
 * The cost of the tokens of a span. The caller uses the cost that the sender reports, if there is one. Otherwise the application's prices
 * apply, then the bundled prices. A model without a price costs `null` and never 0.
 *
 * Called for every span that arrives: the price of a model is found once and cached, and the rest is arithmetic.
 */
import type { Usage } from '../storing/mapped-span.ts'
import { createApplicationPrices, type PriceRow, type Rate, type Rates } from './application-prices.ts'
import { createBundledPrices } from './bundled-prices.ts'

type Pricing = {
  model: string | null
  provider: string | null
  usage: Usage
  /** When the model was called. */
  at: Date | number
  /** All prices of the application. Passing the same array for all spans of a batch avoids comparing it with the cache. */
  prices: readonly PriceRow[]
}

/** `basis` identifies the price for users: `application price <id>` or `genai-prices <version>`. */
type Cost = { costUsd: number; basis: string }

export type Pricer = { price(pricing: Pricing): Cost | null }

export function createPricer(): Pricer {
  const ofApplication = createApplicationPrices()
  const bundled = createBundledPrices()
  return {
    /** Never throws: an invalid price must not lose a span. */
    price({ model, provider, usage, at, prices }) {
      const counts = model === null ? undefined : countTokens(usage)
      if (model === null || !counts) return null
      const atMs = typeof at === 'number' ? at : at.getTime()
      const query = { model, provider, atMs }
      const found = (prices.length > 0 ? ofApplication.find(prices, query) : undefined) ?? bundled.find(query)
      if (!found) return null
      const costUsd = costOf(found.rates, counts)
      return Number.isFinite(costUsd) ? { costUsd, basis: found.basis } : null
    },
  }
}

/** Disjoint counts, except `input`, which is the sum of the three that follow it. */
type TokenCounts = {
  input: number
  uncached: number
  cacheRead: number
  cacheWrite: number
  output: number
  reasoning: number
}

const MILLION = 1_000_000

/** Undefined if no count is known. A part that exceeds its whole is not included in it, so it is added. */
function countTokens(usage: Usage): TokenCounts | undefined {
  const cacheRead = known(usage.cacheRead) ?? 0
  const cacheWrite = known(usage.cacheWrite) ?? 0
  const reasoning = known(usage.reasoning) ?? 0
  const total = known(usage.total)
  const givenInput = known(usage.input)
  const givenOutput = known(usage.output)
  const cached = cacheRead + cacheWrite
  if (givenInput === undefined && givenOutput === undefined && total === undefined && cached + reasoning === 0) {
    return undefined
  }
  // A total without parts is all input, as embedding models report it.
  const input = givenInput ?? rest(total, givenOutput)
  const output = givenOutput ?? (givenInput === undefined ? 0 : rest(total, givenInput))
  const wholeInput = cached > input ? input + cached : input
  const wholeOutput = reasoning > output ? output + reasoning : output
  return {
    input: wholeInput,
    uncached: wholeInput - cached,
    cacheRead,
    cacheWrite,
    output: wholeOutput - reasoning,
    reasoning,
  }
}

function costOf(rates: Rates, counts: TokenCounts): number {
  const { input } = counts
  const perMillion =
    rateAt(rates.uncached, input) * counts.uncached +
    rateAt(rates.cacheRead, input) * counts.cacheRead +
    rateAt(rates.cacheWrite, input) * counts.cacheWrite +
    rateAt(rates.output, input) * counts.output +
    rateAt(rates.reasoning, input) * counts.reasoning
  return perMillion / MILLION + rates.perRequestUsd
}

function rateAt(rate: Rate, inputTokens: number): number {
  if (typeof rate === 'number') return rate
  let reached = rate.base
  for (const { start, price } of rate.tiers) if (inputTokens > start) reached = price
  return reached
}

function known(count: number | null): number | undefined {
  return count !== null && Number.isFinite(count) && count >= 0 ? count : undefined
}

function rest(total: number | undefined, part: number | undefined): number {
  return Math.max((total ?? 0) - (part ?? 0), 0)
}
