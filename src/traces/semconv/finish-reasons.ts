import type { Attributes } from '../storing/received-span.ts'
import { asJsonList } from './guarded-json.ts'

/**
 * Why a model stopped, in lower case and in the provider's own words: `stop`, `length`, `max_tokens`. Conventions and providers differ
 * in where they say it, and agree in how: the last word of a key, or a property of the answer.
 */
export function finishReasonsOf(attributes: Attributes, output: string | null): string[] {
  const reasons = new Set<string>()
  const add = (reason: unknown) => {
    if (typeof reason === 'string' && reason !== '') reasons.add(reason.toLowerCase())
  }
  for (const [key, value] of attributes) {
    // Most keys are told by their last letters, which is quicker than to cut the last word off.
    if (!key.endsWith('eason') && !key.endsWith('easons')) continue
    if (!KEY_ENDS.has(key.slice(key.lastIndexOf('.') + 1))) continue
    for (const reason of asJsonList(value) ?? [value]) add(reason)
  }
  // An answer without any of them, as most are, is known by this at a tenth of the cost.
  if (output?.includes('eason"')) {
    for (const [, reason, incomplete] of output.matchAll(IN_ANSWER)) add(reason ?? incomplete)
  }
  return [...reasons]
}

/**
 * As in `gen_ai.response.finish_reasons`, `ai.response.finishReason`, `llm.finish_reason` and `gen_ai.completion.0.finish_reason`, or
 * alone as people write it themselves.
 */
const KEY_ENDS: ReadonlySet<string> = new Set([
  'finish_reasons',
  'finish_reason',
  'finishReason',
  'stop_reason',
  'stopReason',
  'done_reason',
])

/**
 * Searched for and not read: answers can be long, and inside of what somebody said the quotes would be escaped. OpenAI's responses
 * have no reason but the details of why they are incomplete.
 */
const IN_ANSWER =
  /"(?:finish_reason|finishReason|stop_reason|stopReason|done_reason)"\s*:\s*"([^"\\]{1,64})"|"incomplete_details"\s*:\s*\{\s*"reason"\s*:\s*"([^"\\]{1,64})"/g
