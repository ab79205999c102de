/**
 * The cost of the tokens of a span. The caller uses the cost that the sender reports, if there is one. Otherwise the application's prices
 * apply, then the bundled prices. A model without a price costs `null` and never 0.
 *
 * Called for every span that arrives: the price of a model is found once and cached, and the rest is arithmetic.
 */
import type { Usage } from '../storing/mapped-span.ts'
import { createApplicationPrices, type PriceRow } from './application-prices.ts'
import { createBundledPrices } from './bundled-prices.ts'
import { costOf, countTokens } from './token-cost.ts'

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
      const asked = { model, provider, atMs }
      const found = (prices.length > 0 ? ofApplication.find(prices, asked) : undefined) ?? bundled.find(asked)
      if (!found) return null
      const costUsd = costOf(found.rates, counts)
      return Number.isFinite(costUsd) ? { costUsd, basis: found.basis } : null
    },
  }
}
