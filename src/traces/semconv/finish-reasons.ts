import type { Attributes } from '../storing/received-span.ts'
import { asJsonList } from './json/guarded-json.ts'

/**
 * Why a model stopped, in lower case and in the provider's terms: `stop`, `length`, `max_tokens`. Conventions and providers use different
 * keys, but always the last segment of a key or a property of the response.
 */
export function finishReasonsOf(attributes: Attributes, output: string | null): string[] {
  const reasons = new Set<string>()
  const add = (reason: unknown) => {
    if (typeof reason === 'string' && reason !== '') reasons.add(reason.toLowerCase())
  }
  for (const [key, value] of attributes) {
    // Checks the last letters first, which is faster than slicing the last segment.
    if (!key.endsWith('eason') && !key.endsWith('easons')) continue
    if (!KEY_ENDS.has(key.slice(key.lastIndexOf('.') + 1))) continue
    for (const reason of asJsonList(value) ?? [value]) add(reason)
  }
  // Most responses have no finish reason; this check excludes them at a tenth of the cost.
  if (output?.includes('eason"')) {
    for (const [, reason, incomplete] of output.matchAll(IN_ANSWER)) add(reason ?? incomplete)
  }
  return [...reasons]
}

/**
 * As in `gen_ai.response.finish_reasons`, `ai.response.finishReason`, `llm.finish_reason` and `gen_ai.completion.0.finish_reason`, or as
 * a plain key in custom instrumentation.
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
 * Searched instead of parsed, because responses can be long; inside message text, the quotes would be escaped. OpenAI's Responses API has
 * no finish reason but details of why a response is incomplete.
 */
const IN_ANSWER =
  /"(?:finish_reason|finishReason|stop_reason|stopReason|done_reason)"\s*:\s*"([^"\\]{1,64})"|"incomplete_details"\s*:\s*\{\s*"reason"\s*:\s*"([^"\\]{1,64})"/g
