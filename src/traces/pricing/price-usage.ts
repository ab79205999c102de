/**
 * What the tokens of a span cost. What the sender reports goes before all of this and is decided by the caller; then come the
 * application's own prices, then those that come with the program. A model that nobody has a price for costs `null` and never 0.
 *
 * Called for every span that arrives: which price holds for a model is found once and kept, and the rest is arithmetic.
 */
import type { Usage } from '../storing/mapped-span.ts'
import { createApplicationPrices, type PriceRow } from './application-prices.ts'
import { createBundledPrices } from './bundled-prices.ts'
import { costOf, countTokens } from './token-cost.ts'

type Pricing = {
  model: string | null
  provider: string | null
  usage: Usage
  /** When the model was asked. */
  at: Date | number
  /** All of the application's; the same array for the spans of one batch saves comparing it with what is known. */
  prices: readonly PriceRow[]
}

/** `basis` tells people which price it was: `application price <id>` or `genai-prices <version>`. */
type Cost = { costUsd: number; basis: string }

export type Pricer = { price(pricing: Pricing): Cost | null }

export function createPricer(): Pricer {
  const ofApplication = createApplicationPrices()
  const bundled = createBundledPrices()
  return {
    /** Never throws: a span must not be lost because its price is odd. */
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
