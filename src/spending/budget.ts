/** The cost of model calls, and the limit of an evaluation. */
import type { Usage } from '../llm/model-client.ts'
import type { PriceRow } from '../traces/pricing/application-prices.ts'
import type { Pricer } from '../traces/pricing/price-usage.ts'

/** English prose has about four characters to a token. */
const CHARACTERS_PER_TOKEN = 4
/** A token is at least one byte of the text, and providers add some tokens of their own. */
const TOKENS_AROUND = 200
/**
 * Enough to reason before a short answer. With a cost limit it is sent to the provider and reserved in the budget. If
 * a provider exceeds it, later reservations use the larger number.
 */
export const ANSWER_TOKENS_MAX = 2_000

/** Thrown instead of calling the model, when the call might cost more than is left. */
export class BudgetError extends Error {}

type PricedUsage = Partial<Usage> & { inputTokens: number; outputTokens: number }

export type PriceOf = (model: string, usage: PricedUsage) => number | null

export function priceWith(pricer: Pricer, prices: readonly PriceRow[], at: number): PriceOf {
  return (model, { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens }) => {
    const usage = {
      input: inputTokens,
      output: outputTokens,
      total: inputTokens + outputTokens,
      cacheRead: cachedTokens ?? null,
      cacheWrite: cacheWriteTokens ?? null,
      reasoning: reasoningTokens ?? null,
      basis: 'inclusive' as const,
    }
    return pricer.price({ model, provider: null, usage, at, prices })?.costUsd ?? null
  }
}

/** The probable cost of a question; null when no price is configured for the model. */
export function expectedCost(
  priceOf: PriceOf,
  { model, promptCharacters, answerTokens }: { model: string; promptCharacters: number; answerTokens: number },
): number | null {
  return priceOf(model, { inputTokens: Math.ceil(promptCharacters / CHARACTERS_PER_TOKEN), outputTokens: answerTokens })
}

export type Budget = {
  /**
   * Reserves the maximum cost of the question, or throws a BudgetError. The result records the real cost or releases
   * the reservation.
   */
  reserve(model: string, promptBytes: number): { settle(usage: Usage): number | null; release(): void }
}

/**
 * `spentUsd` is the cost of earlier attempts at the same evaluation. Without a limit every call is allowed, and its
 * cost is still counted.
 */
export function createBudget(
  priceOf: PriceOf,
  { maxCostUsd, spentUsd }: { maxCostUsd: number | undefined; spentUsd: number },
): Budget {
  let spent = spentUsd
  let reserved = 0
  let answerTokensMost = ANSWER_TOKENS_MAX
  return {
    reserve(model, promptBytes) {
      const tokensMost = { inputTokens: promptBytes + TOKENS_AROUND, outputTokens: answerTokensMost }
      const most = priceOf(model, tokensMost)
      if (maxCostUsd !== undefined && most === null) {
        throw new BudgetError(
          `no price is configured for ${model}, so config.maxCostUsd cannot be enforced; add one under /prices`,
        )
      }
      if (maxCostUsd !== undefined && spent + reserved + (most ?? 0) > maxCostUsd) {
        throw new BudgetError(
          `the cost limit of $${maxCostUsd} (config.maxCostUsd) leaves no room for another question`,
        )
      }
      let held = most ?? 0
      reserved += held
      const release = () => {
        reserved -= held
        held = 0
      }
      return {
        release,
        settle(usage) {
          const { inputTokens, outputTokens } = usage
          answerTokensMost = Math.max(answerTokensMost, outputTokens ?? 0)
          // Usage that the provider does not report is charged at its maximum.
          const costUsd = priceOf(model, {
            ...usage,
            inputTokens: inputTokens ?? tokensMost.inputTokens,
            outputTokens: outputTokens ?? tokensMost.outputTokens,
          })
          release()
          spent += costUsd ?? 0
          return most === null ? null : costUsd
        },
      }
    },
  }
}

/**
 * A second limit for models with a price, without a reservation: what was spent may exceed it by the questions in
 * progress. Models without a price are allowed.
 */
export function cappedBudget(budget: Budget, maxUsd: number): Budget {
  let spent = 0
  return {
    reserve(model, promptBytes) {
      if (spent >= maxUsd) throw new BudgetError(`the limit of $${maxUsd} for a preview is reached`)
      const reserved = budget.reserve(model, promptBytes)
      return {
        release: reserved.release,
        settle(usage) {
          const costUsd = reserved.settle(usage)
          spent += costUsd ?? 0
          return costUsd
        },
      }
    },
  }
}
