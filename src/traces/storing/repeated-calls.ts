/**
 * Finds calls of models that are reported twice. A provider's own spans and those of an instrumentation around it are siblings, or
 * further apart, and each has the tokens of the same call. They have the provider's id of the response in common.
 *
 * An id alone is not enough: caches and small servers give the same one again, and each of these was a call of its own. So spans are of
 * one call only if different instrumentations report them and they overlap in time. Without an id nothing is taken for repeated:
 * two calls at once that used the same number of tokens are usual.
 */
import type { MappableSpan } from '../semconv/convention.ts'
import { COST_REPEATED, TELLS_COST, TELLS_TOKENS, TOKENS_REPEATED, TOLD_BELOW } from './usage-coverage.ts'

export const RESPONSE_ID = 'gen_ai.response.id'
const ID_LENGTH_MAX = 200
/** Spans of one id that overlap; more of them are no longer instrumentations of one call, and comparing all would take long. */
const NEIGHBOURS_MAX = 100

/** Whose report of which call a span is. */
export type CallName = { responseId: string; scope: string }

export type ReportedCall = CallName & {
  spanId: string
  startNs: bigint
  endNs: bigint | null
  totalTokens: number | null
  costUsd: number | null
  costBasis: string | null
  /** The marks of `usage-coverage.ts`. */
  covered: number
}

export function callNameOf({ attributes, origin }: Pick<MappableSpan, 'attributes' | 'origin'>): CallName | null {
  const responseId = attributes.get(RESPONSE_ID)
  if (typeof responseId !== 'string' || responseId === '' || responseId.length > ID_LENGTH_MAX) return null
  return { responseId, scope: origin.scopeName }
}

/** What a trace notes once several instrumentations have reported calls: only then can one be reported twice. */
export const SEVERAL = '*'

/** What a trace notes of who reports its calls: one instrumentation by its name, or that there are several. */
export function usageScopeWith(known: string | null, { scope }: CallName): string {
  const own = `=${scope.slice(0, ID_LENGTH_MAX)}`
  return known === null || known === own ? own : SEVERAL
}

/** The marks that these spans should have: tokens and costs each for themselves, as not every report has both. */
export function markRepeated<Call extends ReportedCall>(calls: readonly Call[]): Call[] {
  const tokens = repeated(
    calls.filter(({ totalTokens }) => totalTokens !== null),
    TELLS_TOKENS,
  )
  const costs = repeated(
    calls.filter(({ costUsd }) => costUsd !== null),
    TELLS_COST,
  )
  return calls.map((call) => ({
    ...call,
    covered:
      (call.covered & TOLD_BELOW) |
      (tokens.has(call.spanId) ? TOKENS_REPEATED : 0) |
      (costs.has(call.spanId) ? COST_REPEATED : 0),
  }))
}

/** The spans of whose call another one of these is counted. */
function repeated(calls: readonly ReportedCall[], told: number): Set<string> {
  const found = new Set<string>()
  for (const group of Map.groupBy(calls, ({ responseId }) => responseId).values()) {
    if (group.length > 1) addRepeated(found, group, told)
  }
  return found
}

function addRepeated(found: Set<string>, group: readonly ReportedCall[], told: number): void {
  const inOrder = group.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1))
  for (const [place, call] of inOrder.entries()) {
    const endNs = call.endNs ?? call.startNs
    for (const other of inOrder.slice(place + 1, place + 1 + NEIGHBOURS_MAX)) {
      // One that begins when another ends follows it.
      if (other.startNs >= endNs && other.startNs !== call.startNs) break
      if (other.scope === call.scope) continue
      found.add(isBetter(call, other, told) ? other.spanId : call.spanId)
    }
  }
}

function isEarlier(a: ReportedCall, b: ReportedCall): boolean {
  return a.startNs < b.startNs || (a.startNs === b.startNs && a.spanId < b.spanId)
}

/**
 * Of two reports, the one that nothing below tells in more detail, then the one that says more: what the sender says it cost is worth most. Of two costs the
 * lower one knows what came from a cache.
 */
function isBetter(call: ReportedCall, other: ReportedCall, told: number): boolean {
  if ((call.covered & told) !== (other.covered & told)) return (other.covered & told) !== 0
  const [worth, otherWorth] = [worthOf(call), worthOf(other)]
  if (worth !== otherWorth) return worth > otherWorth
  if (call.costUsd !== other.costUsd) return (call.costUsd ?? 0) < (other.costUsd ?? 0)
  if (call.totalTokens !== other.totalTokens) return (call.totalTokens ?? 0) > (other.totalTokens ?? 0)
  return call.spanId < other.spanId
}

function worthOf({ totalTokens, costUsd, costBasis }: ReportedCall): number {
  return (costBasis === 'reported' ? 4 : 0) + (costUsd === null ? 0 : 2) + (totalTokens === null ? 0 : 1)
}
