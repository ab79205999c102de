import type { Usage } from '../storing/mapped-span.ts'
import { asJsonObject, type JsonObject } from './json/guarded-json.ts'

/** Longer keys are not names of counts. */
const KEY_LENGTH_MAX = 100

/**
 * Reads a usage object. By the contract of Langfuse, the keys count disjoint tokens: `input` excludes cached tokens, `output` excludes
 * reasoning. Only in the usage objects of OpenAI and LangChain, which nest the details below the counts, are they part of the counts.
 */
export function readUsageDetails(value: unknown): Usage | undefined {
  const details = asJsonObject(value)
  if (details === undefined) return undefined
  const usage = asNestedUsage(details) ?? asAdditiveUsage(details)
  return usage.input === null && usage.output === null && usage.total === null ? undefined : usage
}

/** The usage of chat completions, or of the Responses API or LangChain, which use other names. */
function asNestedUsage(details: JsonObject): Usage | undefined {
  const inputDetails = firstObject(details, 'prompt_tokens_details', 'input_tokens_details', 'input_token_details')
  const outputDetails = firstObject(
    details,
    'completion_tokens_details',
    'output_tokens_details',
    'output_token_details',
  )
  const hasDetails = inputDetails !== undefined || outputDetails !== undefined
  const input =
    readCount(details.prompt_tokens) ??
    readCount(details.promptTokens) ??
    (hasDetails ? readCount(details.input_tokens) : undefined)
  const output =
    readCount(details.completion_tokens) ??
    readCount(details.completionTokens) ??
    (hasDetails ? readCount(details.output_tokens) : undefined)
  if (input === undefined && output === undefined) return undefined
  return {
    input: input ?? null,
    output: output ?? null,
    total: readCount(details.total_tokens) ?? readCount(details.totalTokens) ?? (input ?? 0) + (output ?? 0),
    cacheRead: readCount(inputDetails?.cached_tokens ?? inputDetails?.cache_read) ?? null,
    cacheWrite: readCount(inputDetails?.cache_write_tokens ?? inputDetails?.cache_creation) ?? null,
    reasoning: readCount(outputDetails?.reasoning_tokens ?? outputDetails?.reasoning) ?? null,
    basis: 'inclusive',
  }
}

function firstObject(details: JsonObject, ...names: string[]): JsonObject | undefined {
  return names.map((name) => asJsonObject(details[name])).find((object) => object !== undefined)
}

function asAdditiveUsage(details: JsonObject): Usage {
  const sums: Partial<Record<'input' | 'output' | 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning', number>> = {}
  const add = (field: keyof typeof sums, count: number) => {
    sums[field] = (sums[field] ?? 0) + count
  }
  for (const [key, value] of Object.entries(details)) {
    const count = key.length > KEY_LENGTH_MAX ? undefined : readCount(value)
    if (count === undefined) continue
    const name = key.toLowerCase()
    if (name.startsWith('total')) add('total', count)
    else if (name.startsWith('output') || name.startsWith('completion') || name.includes('reasoning')) {
      add('output', count)
      if (name.includes('reasoning')) add('reasoning', count)
    } else if (name.startsWith('input') || name.startsWith('prompt') || name.includes('cache')) {
      add('input', count)
      if (isCacheWrite(name)) add('cacheWrite', count)
      else if (name.includes('cache')) add('cacheRead', count)
    }
  }
  const { input, output, total, cacheRead, cacheWrite, reasoning } = sums
  const sum = (input ?? 0) + (output ?? 0)
  return {
    input: input ?? null,
    output: output ?? null,
    total: total === undefined ? sum : Math.max(total, sum),
    cacheRead: cacheRead ?? null,
    cacheWrite: cacheWrite ?? null,
    reasoning: reasoning ?? null,
    basis: 'additive',
  }
}

function isCacheWrite(name: string): boolean {
  const place = name.indexOf('cache')
  return place !== -1 && (name.includes('write', place) || name.includes('creation', place))
}

/** The cost of a call in Langfuse: the total, or else the sum of its parts. */
export function readCostDetails(value: unknown): number | undefined {
  const details = asJsonObject(value)
  if (details === undefined) return undefined
  const total = readAmount(details.total)
  if (total !== undefined) return total
  const parts = Object.values(details).flatMap((part) => readAmount(part) ?? [])
  return parts.length > 0 ? parts.reduce((sum, part) => sum + part, 0) : undefined
}

/** Larger values are not token counts or dollars, and a few of them would overflow the stored totals. */
const AMOUNT_MAX = 1e12

/** A token count: an exact, non-negative integer. Senders also send it as text or as a double. */
export function readCount(value: unknown): number | undefined {
  const number = readAmount(value)
  return number === undefined ? undefined : Math.round(number)
}

/** A non-negative amount. Absent is not 0: a missing value must never look free of charge. */
export function readAmount(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && number >= 0 && number <= AMOUNT_MAX ? number : undefined
}
