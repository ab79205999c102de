import type { Evaluator } from './evaluator.ts'

/** Evaluators that read what a trace holds. A trace that is only named has no content, which is a reason and not a failure. */
export const TRACE_CONTENT_TYPES: readonly string[] = [
  'exactMatch',
  'contains',
  'containsAny',
  'containsAll',
  'regex',
  'jsonValid',
  'jsonSchema',
  'jsonEqual',
  'numeric',
  'levenshtein',
  'tokenF1',
  'rougeL',
  'bleu',
  'length',
  'toolCalls',
  'trajectory',
  'latency',
  'cost',
  'tokens',
  'f1',
]

export function traceContent(name: string): Evaluator {
  return { name, evaluate: () => ({ state: 'skipped', reason: 'the trace has not arrived' }) }
}
