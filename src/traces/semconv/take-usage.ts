import type { SpanKind, Usage } from '../storing/mapped-span.ts'
import { SLOTS } from './mapping-rules.ts'
import type { Picks } from './pick-fields.ts'
import { take, takeNumber } from './take-field.ts'

/**
 * Normalizes the counts of a span. The conventions include cached tokens in the input count, some providers exclude them, and no
 * attribute indicates which. Cache counts that exceed the input cannot be part of it.
 */
export function takeUsage(picks: Picks, kind: SpanKind): Usage | null {
  const details = take(picks, SLOTS.usageDetails)
  if (isUsage(details)) return details

  const reportedTotal = takeNumber(picks, SLOTS.totalTokens)
  const sentInput = takeNumber(picks, SLOTS.inputTokens) ?? inputOfTotal(kind, reportedTotal)
  const sentOutput = takeNumber(picks, SLOTS.outputTokens)
  // Details alone are not usage: the Vercel AI SDK repeats some of them on the spans around a call.
  if (sentInput === null && sentOutput === null && reportedTotal === null) return null

  const cacheRead = takeNumber(picks, SLOTS.cacheReadTokens)
  const cacheWrite = takeNumber(picks, SLOTS.cacheWriteTokens)
  const reasoning = takeNumber(picks, SLOTS.reasoningTokens)
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  const isAdditive = cached > (sentInput ?? 0)
  const input = isAdditive ? (sentInput ?? 0) + cached : sentInput
  // The same applies to reasoning: Gemini counts thoughts in addition to the output.
  const output = (reasoning ?? 0) > (sentOutput ?? 0) ? (sentOutput ?? 0) + (reasoning ?? 0) : sentOutput
  // A total below the sum excludes the cached tokens.
  const total = Math.max(reportedTotal ?? 0, (input ?? 0) + (output ?? 0))
  return { input, output, total, cacheRead, cacheWrite, reasoning, basis: isAdditive ? 'additive' : 'inclusive' }
}

/** Models without text output often report only a total, which is their input. */
function inputOfTotal(kind: SpanKind, total: number | null): number | null {
  return kind === 'embedding' || kind === 'reranker' ? total : null
}

function isUsage(value: unknown): value is Usage {
  return typeof value === 'object' && value !== null && 'basis' in value
}
