import type { Clock } from '../base/clock.ts'
import { conflict } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import type { Pricer } from '../traces/pricing/price-usage.ts'
import { priceWith } from './budget.ts'
import { spendingDays } from './spending-days.ts'
import { whyReached, whyUnpriced } from './spending-limit.ts'
import { findSpendingLimits, sumSpending } from './spending-queries.ts'

type Asked = {
  workspaceId: string
  /** The models that will be called, as far as known. Called only if there is a limit. */
  listModels: () => Promise<readonly string[]>
  pricer: Pricer
}

/**
 * Throws 409 if a limit of the application is reached, or cannot be enforced because a model has no price. For work that begins: each of
 * its calls is checked again when it is sent.
 */
export async function assertMaySpend(
  { q, clock }: { q: Queries; clock: Clock },
  { workspaceId, listModels, pricer }: Asked,
): Promise<void> {
  const limits = await findSpendingLimits(q, workspaceId)
  if (!limits || (limits.maxUsdPerDay === null && limits.maxUsdPer30Days === null)) return
  const priceOf = priceWith(pricer, await listAllPrices(q, workspaceId), clock.now())
  const unpriced = (await listModels()).find((model) => priceOf(model, { inputTokens: 1, outputTokens: 1 }) === null)
  if (unpriced !== undefined) throw conflict(whyUnpriced(unpriced))
  const days = spendingDays(clock)
  const reason = whyReached(limits, await sumSpending(q, workspaceId, days), days)
  if (reason !== undefined) throw conflict(reason)
}
