import { describe, expect, it } from 'vitest'
import { UNKNOWN_USAGE } from '../../src/llm/model-client.ts'
import { createBudget, type PriceOf } from '../../src/spending/budget.ts'
import type { Ledger } from '../../src/spending/ledger.ts'

const UNLIMITED: Ledger = {
  reserve: async () => ({ isLimited: false, settle: async () => undefined, release: async () => undefined }),
}
const CALL = { model: 'm', promptBytes: 1, answerTokensMax: 1 }
const oneDollar: PriceOf = () => ({ costUsd: 1, basis: 'a test' })

describe('the cost limit of an evaluation', () => {
  it('reserves more after an answer was longer than estimated', async () => {
    const perToken: PriceOf = (_, { inputTokens, outputTokens }) => {
      return { costUsd: inputTokens + outputTokens, basis: 'a test' }
    }
    const budget = createBudget(perToken, { ledger: UNLIMITED, maxCostUsd: 100_000, spentUsd: 0 })
    const reserved = await budget.reserve({ ...CALL, promptBytes: 100 })
    await reserved.settle({ ...UNKNOWN_USAGE, inputTokens: 100, outputTokens: 60_000 })
    await expect(budget.reserve({ ...CALL, promptBytes: 100 })).rejects.toThrow(/leaves no room/)
  })

  it('releases the reservation of an unsent request once', async () => {
    const budget = createBudget(oneDollar, { ledger: UNLIMITED, maxCostUsd: 2, spentUsd: 0 })
    const [first, second] = [await budget.reserve(CALL), await budget.reserve(CALL)]
    await expect(budget.reserve(CALL)).rejects.toThrow(/leaves no room/)
    await first.release('not sent')
    await first.release('not sent')
    await budget.reserve(CALL)
    await expect(budget.reserve(CALL)).rejects.toThrow(/leaves no room/)
    await second.settle({ ...UNKNOWN_USAGE, inputTokens: 1, outputTokens: 1 })
    await expect(budget.reserve(CALL)).rejects.toThrow(/leaves no room/)
  })

  it('counts earlier costs', async () => {
    const budget = createBudget(oneDollar, { ledger: UNLIMITED, maxCostUsd: 2, spentUsd: 1.5 })
    await expect(budget.reserve(CALL)).rejects.toThrow(/leaves no room/)
  })

  it('holds for calls that are reserved at the same time', async () => {
    const budget = createBudget(oneDollar, { ledger: UNLIMITED, maxCostUsd: 3, spentUsd: 0 })
    const reserved = await Promise.allSettled(Array.from({ length: 10 }, () => budget.reserve(CALL)))
    expect(reserved.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  it('gives back what the ledger of the application has no room for', async () => {
    let hasRoom = false
    const ledger: Ledger = {
      reserve: (call) => (hasRoom ? UNLIMITED.reserve(call) : Promise.reject(new Error('no room'))),
    }
    const budget = createBudget(oneDollar, { ledger, maxCostUsd: 1, spentUsd: 0 })
    await expect(budget.reserve(CALL)).rejects.toThrow('no room')
    hasRoom = true
    await expect(budget.reserve(CALL)).resolves.toMatchObject({ isLimited: true })
  })
})
