import type { RE2JS } from 're2js'
import { compileModelPattern } from './model-pattern.ts'

/** A price that the users of an application have set. */
export type PriceRow = {
  id: string
  modelPattern: string
  provider: string | null
  inputPerMillion: number
  outputPerMillion: number
  cacheReadPerMillion: number | null
  cacheWritePerMillion: number | null
  validFrom: string | null
  validUntil: string | null
  createdAt: string
}

export type PriceQuery = { model: string; provider: string | null; atMs: number }

/** US dollars per million tokens. With tiers, the whole request is billed at the tier that its input reaches. */
export type Rate = number | { base: number; tiers: readonly { start: number; price: number }[] }

export type Rates = {
  uncached: Rate
  cacheRead: Rate
  cacheWrite: Rate
  output: Rate
  reasoning: Rate
  perRequestUsd: number
}

export type FoundPrice = { rates: Rates; basis: string }

type Candidate = FoundPrice & { fromMs: number; untilMs: number }

/** The prepared prices of an application, from the newest to the oldest. */
type PriceSet = { entries: { row: PriceRow; candidate: Candidate }[]; byModel: Map<string, Candidate[]> }

/** More models than any application calls. When it is exceeded, the whole cache is cleared, so that arbitrary names cannot grow it. */
const MODELS_MAX = 5_000
const PATTERNS_MAX = 2_000
const MODEL_LENGTH_MAX = 300

/** Finds the newest price of an application for a model at a given time. */
export function createApplicationPrices() {
  const patterns = new Map<string, RE2JS | null>()
  // Each batch reads its prices again. Prices are immutable, so the same ids mean the same prices.
  const setsByIds = new Map<string, PriceSet>()
  let setsByRows = new WeakMap<readonly PriceRow[], PriceSet>()
  let modelCount = 0

  function matches({ modelPattern, provider }: PriceRow, query: PriceQuery): boolean {
    if (provider !== null && provider.toLowerCase() !== query.provider?.toLowerCase()) return false
    let pattern = patterns.get(modelPattern)
    if (pattern === undefined) {
      if (patterns.size >= PATTERNS_MAX) patterns.clear()
      pattern = compileStored(modelPattern)
      patterns.set(modelPattern, pattern)
    }
    return pattern?.matches(query.model.slice(0, MODEL_LENGTH_MAX)) ?? false
  }

  function setOf(rows: readonly PriceRow[]): PriceSet {
    const known = setsByRows.get(rows)
    if (known) return known
    // Newest first: ids contain the time of their creation.
    const sorted = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    const ids = sorted.map(({ id }) => id).join()
    const set = setsByIds.get(ids) ?? {
      entries: sorted.map((row) => ({ row, candidate: candidateOf(row) })),
      byModel: new Map(),
    }
    setsByIds.set(ids, set)
    setsByRows.set(rows, set)
    return set
  }

  function candidatesOf(rows: readonly PriceRow[], query: PriceQuery): Candidate[] {
    const { entries, byModel } = setOf(rows)
    const name = `${query.provider ?? ''}\n${query.model}`
    const known = byModel.get(name)
    if (known) return known
    const candidates = entries.filter(({ row }) => matches(row, query)).map(({ candidate }) => candidate)
    byModel.set(name, candidates)
    modelCount += 1
    if (modelCount >= MODELS_MAX) {
      setsByIds.clear()
      setsByRows = new WeakMap()
      modelCount = 0
    }
    return candidates
  }

  return {
    find(rows: readonly PriceRow[], query: PriceQuery): FoundPrice | undefined {
      const { atMs } = query
      return candidatesOf(rows, query).find(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs)
    },
  }
}

/** Patterns are validated when they are stored. A pattern that no longer compiles matches nothing, and no span is lost. */
function compileStored(pattern: string): RE2JS | null {
  try {
    return compileModelPattern(pattern)
  } catch {
    return null
  }
}

function candidateOf(row: PriceRow): Candidate {
  const { inputPerMillion, outputPerMillion, validFrom, validUntil } = row
  return {
    rates: {
      uncached: inputPerMillion,
      // Without a cache price, cached tokens cost as much as other input tokens.
      cacheRead: row.cacheReadPerMillion ?? inputPerMillion,
      cacheWrite: row.cacheWritePerMillion ?? inputPerMillion,
      output: outputPerMillion,
      reasoning: outputPerMillion,
      perRequestUsd: 0,
    },
    basis: `application price ${row.id}`,
    fromMs: validFrom === null ? Number.NEGATIVE_INFINITY : Date.parse(validFrom),
    untilMs: validUntil === null ? Number.POSITIVE_INFINITY : Date.parse(validUntil),
  }
}
