import type { Usage } from '../storing/mapped-span.ts'

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

/** Disjoint counts, except `input`, which is the sum of the three that follow it. */
export type TokenCounts = {
  input: number
  uncached: number
  cacheRead: number
  cacheWrite: number
  output: number
  reasoning: number
}

const MILLION = 1_000_000

/** Undefined if no count is known. A part that exceeds its whole is not included in it, so it is added. */
export function countTokens(usage: Usage): TokenCounts | undefined {
  const cacheRead = known(usage.cacheRead) ?? 0
  const cacheWrite = known(usage.cacheWrite) ?? 0
  const reasoning = known(usage.reasoning) ?? 0
  const total = known(usage.total)
  const givenInput = known(usage.input)
  const givenOutput = known(usage.output)
  const cached = cacheRead + cacheWrite
  if (givenInput === undefined && givenOutput === undefined && total === undefined && cached + reasoning === 0) {
    return undefined
  }
  // A total without parts is all input, as embedding models report it.
  const input = givenInput ?? rest(total, givenOutput)
  const output = givenOutput ?? (givenInput === undefined ? 0 : rest(total, givenInput))
  const wholeInput = cached > input ? input + cached : input
  const wholeOutput = reasoning > output ? output + reasoning : output
  return {
    input: wholeInput,
    uncached: wholeInput - cached,
    cacheRead,
    cacheWrite,
    output: wholeOutput - reasoning,
    reasoning,
  }
}

export function costOf(rates: Rates, counts: TokenCounts): number {
  const { input } = counts
  const perMillion =
    rateAt(rates.uncached, input) * counts.uncached +
    rateAt(rates.cacheRead, input) * counts.cacheRead +
    rateAt(rates.cacheWrite, input) * counts.cacheWrite +
    rateAt(rates.output, input) * counts.output +
    rateAt(rates.reasoning, input) * counts.reasoning
  return perMillion / MILLION + rates.perRequestUsd
}

function rateAt(rate: Rate, inputTokens: number): number {
  if (typeof rate === 'number') return rate
  let reached = rate.base
  for (const { start, price } of rate.tiers) if (inputTokens > start) reached = price
  return reached
}

function known(count: number | null): number | undefined {
  return count !== null && Number.isFinite(count) && count >= 0 ? count : undefined
}

function rest(total: number | undefined, part: number | undefined): number {
  return Math.max((total ?? 0) - (part ?? 0), 0)
}
