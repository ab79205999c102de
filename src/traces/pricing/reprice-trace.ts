import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { withCostBasis } from '../list-fields.ts'
import { ResourceScopeCache } from '../resource-scope-cache.ts'
import { mapSpan } from '../semconv/map-span.ts'
import { costOf } from '../storing/build-span-row.ts'
import { countCallsOnce } from '../storing/count-calls-once.ts'
import { storedSpan } from '../storing/stored-span.ts'
import type { KnownTrace } from '../storing/trace-state-queries.ts'
import { COST_REPEATED, type CoverageNode, markCovered, REPORTS_COST, SEVERAL } from '../storing/usage-coverage.ts'
import type { PriceRow } from './application-prices.ts'
import type { Pricer } from './price-usage.ts'
import { listSpanCosts, listSpansToReprice, type SpanCost, updateSpanCost } from './reprice-queries.ts'

/** The prices for all traces of one repricing. */
export type Repricing = { workspaceId: string; pricer: Pricer; prices: readonly PriceRow[] }

/** The part of a trace to reprice in this transaction: up to `limit` spans after `afterSpanId`. */
export type RepricePart = { afterSpanId: string; limit: number }

export type RepricedPart = {
  costUsd: number | null
  totalTokens: number | null
  modelSummary: string | null
  /** Where to continue; undefined if the trace is complete. */
  lastSpanId: string | undefined
}

const SPANS_PER_READ = 50
/** These columns are not needed, because no price depends on them. */
const WITHOUT_TEXTS = { input: null, inputFrom: null, output: null, outputFrom: null, events: null }

/**
 * Prices the spans of a locked trace again, and returns the new cost of the trace. When a span gains or loses its cost, the coverage of
 * its ancestors changes, so coverage is computed again for the trace.
 */
export async function repriceTrace(
  tx: Queries,
  { workspaceId, pricer, prices }: Repricing,
  trace: KnownTrace,
  part: RepricePart,
): Promise<RepricedPart> {
  const ofTrace = { workspaceId, traceDbId: trace.id }
  const spans = await listSpanCosts(tx, ofTrace)
  const resourceScopes = new ResourceScopeCache(tx, workspaceId)
  const costs = new Map<string, { costUsd: number; basis: string } | null>()
  let { afterSpanId } = part
  while (costs.size < part.limit) {
    const limit = Math.min(SPANS_PER_READ, part.limit - costs.size)
    const rows = await listSpansToReprice(tx, ofTrace, { afterSpanId, limit })
    await resourceScopes.load(rows)
    for (const row of rows) {
      const span = storedSpan({ ...row, ...WITHOUT_TEXTS }, resourceScopes.get(row.resource_scope))
      costs.set(row.spanId, costOf(span, mapSpan(span), { pricer, prices, atNs: BigInt(row.startNs) }))
      afterSpanId = row.spanId
    }
    if (rows.length < limit) break
    await yieldToEventLoop()
  }
  const priced = spans.map((span) => {
    const cost = costs.get(span.spanId)
    return cost === undefined ? span : { ...span, costUsd: cost?.costUsd ?? null, costBasis: cost?.basis ?? null }
  })
  const after = withCoverage(priced)
  for (const [place, span] of after.entries()) {
    const before = spans[place]
    if (before && isSame(before, span)) continue
    await updateSpanCost(tx, ofTrace, span)
  }
  const state = { ...trace.state, costUsd: traceCost(after) }
  if (state.usageScope === SEVERAL) {
    // Which report of a call counts depends on the costs.
    const touched = { responseIds: new Set<string>(), coveredSpanIds: spans.map(({ spanId }) => spanId) }
    await countCallsOnce(tx, ofTrace, { state, touched })
  }
  const { costUsd, totalTokens } = state
  const modelSummary = withCostBasis(state.modelSummary, after)
  return { costUsd, totalTokens, modelSummary, lastSpanId: costs.size === part.limit ? afterSpanId : undefined }
}

type SpanInTree = SpanCost & { parentSpanId: string | null }

/** The coverage of tokens stays unchanged, because prices do not affect tokens. */
function withCoverage(spans: readonly SpanInTree[]): SpanInTree[] {
  const nodes = new Map<string, CoverageNode>()
  for (const { spanId, parentSpanId, costUsd } of spans) {
    nodes.set(spanId, { spanId, parentSpanId, reported: costUsd === null ? 0 : REPORTS_COST, covered: 0 })
  }
  markCovered(nodes)
  return spans.map((span) => {
    const covered = (span.covered & ~REPORTS_COST) | (nodes.get(span.spanId)?.covered ?? 0)
    return { ...span, covered }
  })
}

function traceCost(spans: readonly SpanCost[]): number | null {
  let sum: number | null = null
  for (const { costUsd, covered } of spans) {
    if (costUsd !== null && (covered & (REPORTS_COST | COST_REPEATED)) === 0) sum = (sum ?? 0) + costUsd
  }
  return sum
}

function isSame(a: SpanCost, b: SpanCost): boolean {
  return a.costUsd === b.costUsd && a.costBasis === b.costBasis && a.covered === b.covered
}
