/** The cost of model calls, and the limits of an evaluation or a preview. Those of the application are in its ledger. */
import type { Usage } from '../llm/model-client.ts'
import type { PriceRow } from '../traces/pricing/application-prices.ts'
import type { Pricer } from '../traces/pricing/price-usage.ts'
import { BudgetError, type Ledger } from './ledger.ts'

/** English prose has about four characters to a token. */
const CHARACTERS_PER_TOKEN = 4
/** A token is at least one byte of the text, and providers add some tokens of their own. */
const TOKENS_AROUND = 200
/** Some providers explain to the model how tools are called. */
const TOKENS_AROUND_TOOLS = 800

type PricedUsage = Partial<Usage> & { inputTokens: number; outputTokens: number }

/** `basis` identifies the price for users. */
type Price = { costUsd: number; basis: string }

/** Null when no price is configured for the model. */
export type PriceOf = (model: string, usage: PricedUsage) => Price | null

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
    return pricer.price({ model, provider: null, usage, at, prices })
  }
}

/** The probable cost of a question; null when no price is configured for the model. */
export function expectedCost(
  priceOf: PriceOf,
  { model, promptCharacters, answerTokens }: { model: string; promptCharacters: number; answerTokens: number },
): number | null {
  const inputTokens = Math.ceil(promptCharacters / CHARACTERS_PER_TOKEN)
  return priceOf(model, { inputTokens, outputTokens: answerTokens })?.costUsd ?? null
}

export type CallSize = {
  model: string
  promptBytes: number
  hasTools?: boolean
  /** Of the answer, including reasoning. */
  answerTokensMax: number
}

export type Cost = {
  usd: number | null
  /** Null without a price. */
  basis: string | null
  /** The provider did not report all that it may bill. */
  isMaximum: boolean
  /** What the provider has reported. */
  tokens: number
}

export type Budget = {
  /**
   * Reserves the maximum cost of the call, or throws a BudgetError. The result records the real cost or releases the
   * reservation; only its first call counts.
   */
  reserve(call: CallSize): Promise<Reservation>
}

export type Reservation = {
  /** The provider must get the limit of tokens, because the maximum follows from it. */
  isLimited: boolean
  /** Null if the model has no price. */
  maxUsd: number | null
  settle(usage: Usage): Promise<Cost>
  release(outcome: 'not sent' | 'rejected'): Promise<void>
}

type BudgetOptions = {
  ledger: Ledger
  /** Undefined: only the limits of the application apply. */
  maxCostUsd: number | undefined
  /** The cost of earlier attempts at the same evaluation. */
  spentUsd: number
}

export function createBudget(priceOf: PriceOf, { ledger, maxCostUsd, spentUsd }: BudgetOptions): Budget {
  let spent = spentUsd
  let reserved = 0
  // If a provider exceeds its limit of tokens, later reservations use the larger number.
  let answerTokensMost = 0
  return {
    async reserve({ model, promptBytes, hasTools = false, answerTokensMax }) {
      const around = TOKENS_AROUND + (hasTools ? TOKENS_AROUND_TOOLS : 0)
      const tokensMost = {
        inputTokens: promptBytes + around,
        outputTokens: Math.max(answerTokensMost, answerTokensMax),
      }
      const most = priceOf(model, tokensMost)
      if (maxCostUsd !== undefined && most === null) {
        throw new BudgetError(
          `no price is configured for ${model}, so config.maxCostUsd cannot be enforced; add one under /prices`,
        )
      }
      let held = most?.costUsd ?? 0
      if (maxCostUsd !== undefined && spent + reserved + held > maxCostUsd) {
        throw new BudgetError(
          `the cost limit of $${maxCostUsd} (config.maxCostUsd) leaves no room for another question`,
        )
      }
      // Before the next step, which waits: concurrent calls must see it.
      reserved += held
      const free = () => {
        reserved -= held
        held = 0
      }
      const entry = await ledger.reserve({ model, maxUsd: most?.costUsd ?? null }).catch((error: unknown) => {
        free()
        throw error
      })
      return {
        isLimited: maxCostUsd !== undefined || entry.isLimited,
        maxUsd: most?.costUsd ?? null,
        async settle(usage) {
          const { inputTokens, outputTokens } = usage
          answerTokensMost = Math.max(answerTokensMost, outputTokens ?? 0)
          // Usage that the provider does not report is charged at its maximum.
          const cost = priceOf(model, {
            ...usage,
            inputTokens: inputTokens ?? tokensMost.inputTokens,
            outputTokens: outputTokens ?? tokensMost.outputTokens,
          })
          free()
          spent += cost?.costUsd ?? 0
          await entry.settle(most === null ? 0 : (cost?.costUsd ?? 0))
          const isMaximum = inputTokens === null || outputTokens === null
          const tokens = (inputTokens ?? 0) + (outputTokens ?? 0)
          return most === null || cost === null
            ? { usd: null, basis: null, isMaximum, tokens }
            : { usd: cost.costUsd, basis: cost.basis, isMaximum, tokens }
        },
        async release(outcome) {
          free()
          await entry.release(outcome)
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
    async reserve(call) {
      if (spent >= maxUsd) throw new BudgetError(`the limit of $${maxUsd} for a preview is reached`)
      const reserved = await budget.reserve(call)
      return {
        ...reserved,
        async settle(usage) {
          const cost = await reserved.settle(usage)
          spent += cost.usd ?? 0
          return cost
        },
      }
    },
  }
}
