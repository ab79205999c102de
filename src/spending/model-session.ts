import type { Clock } from '../base/clock.ts'
import type { ModelAccess, ModelSource } from '../connections/model-access.ts'
import { MAX_TOKENS_DEFAULT } from '../llm/chat.ts'
import { type HostLimits, limitedModelClient } from '../llm/host-limits.ts'
import { createModelClient } from '../llm/http-model-client.ts'
import { defaultModelOf } from '../llm/model-client.ts'
import type { Db } from '../storage/db.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import type { Pricer } from '../traces/pricing/price-usage.ts'
import { createBudget, priceWith } from './budget.ts'
import { findAnswer } from './cached-answer-queries.ts'
import { createLedger } from './ledger.ts'
import type { ModelSession } from './metered-model.ts'
import type { SpendingKind } from './spending-kinds.ts'

/**
 * Enough to reason before a short answer. With a cost limit it is sent to the provider and reserved in the budget. If
 * a provider exceeds it, later reservations use the larger number.
 */
const JUDGE_TOKENS_MAX = 2_000

/** What all calls of models of this process share. */
export type ModelDeps = {
  access: ModelAccess
  hostLimits: HostLimits
  pricer: Pricer
  callTimeoutMs: number
}

type SessionOptions = {
  source: ModelSource
  kind: SpendingKind
  /** It takes turns at the provider with other work of its application, such as another evaluation. */
  owner: string
  /** Of this piece of work; undefined: only the limits of the application apply. */
  maxCostUsd?: number | undefined
  /** The cost of earlier attempts at the same work. */
  spentUsd?: number
  /** Aborts calls in flight. */
  hardStop: AbortSignal
  /** Aborts waiting for a free slot: the queue of a slow provider can be long. */
  softStop: AbortSignal
  /** Called when a call waits for a free slot. */
  onWait?: () => void
}

/** Opens a connection for calls whose cost is limited and counted. */
export async function openModelSession(
  { db, workspaceId, clock }: { db: Db; workspaceId: string; clock: Clock },
  { hostLimits, pricer, callTimeoutMs }: Omit<ModelDeps, 'access'>,
  { source, kind, owner, maxCostUsd, spentUsd = 0, hardStop, softStop, onWait }: SessionOptions,
): Promise<ModelSession> {
  const { connection, egress } = source
  const { concurrency, requestsPerMinute, models } = connection
  const client = createModelClient({ connection, egress, clock, timeoutMs: callTimeoutMs, signal: hardStop })
  const turn = {
    connection: connection.id,
    host: new URL(connection.baseUrl).host,
    application: workspaceId,
    owner,
    limits: { concurrency, requestsPerMinute },
    signal: softStop,
    onWait,
  }
  const priceOf = priceWith(pricer, await listAllPrices(db.read, workspaceId), clock.now())
  const ledger = createLedger({ db, clock, workspaceId, kind })
  return {
    client: limitedModelClient(client, hostLimits, turn),
    baseUrl: connection.baseUrl,
    defaultModelOf: (purpose) => defaultModelOf(models, purpose) ?? '',
    answerTokensMax: maxCostUsd === undefined ? MAX_TOKENS_DEFAULT : JUDGE_TOKENS_MAX,
    budget: createBudget(priceOf, { ledger, maxCostUsd, spentUsd }),
    findAnswer: (hash) => findAnswer(db.read, workspaceId, hash),
  }
}
