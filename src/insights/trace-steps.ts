import type { Step } from '../evaluators/evaluator.ts'
import { stringifyGuarded } from '../traces/semconv/json/guarded-json.ts'
import type { SpanSketch, StepTexts } from '../traces/steps/step-queries.ts'
import { createCallFilter, requestedToolCalls } from './requested-tool-calls.ts'

/** The kinds of spans that evaluators see. Chains, prompts and spans of unknown kind are not steps. */
export const STEP_KINDS: readonly string[] = ['tool', 'llm', 'agent', 'retriever']

/**
 * Collects the steps of one trace from its spans, ordered by start time. If the trace has no tool spans, the tool calls
 * that its models requested are added after the model call; whether they failed is unknown.
 */
export function createStepCollector(sketches: readonly SpanSketch[]) {
  const hasToolSpans = sketches.some(({ kind }) => kind === 'tool')
  const isNew = createCallFilter()
  const steps: Step[] = []
  return {
    steps,
    add({ kind, name }: SpanSketch, row: StepTexts): void {
      if (!STEP_KINDS.includes(kind)) return
      const args = kind === 'llm' ? null : row.input
      steps.push({ kind, name, arguments: args, isError: row.status === 'error' })
      if (kind !== 'llm' || hasToolSpans) return
      for (const call of requestedToolCalls(row.output, row.outputFrom).filter(isNew)) {
        steps.push({ kind: 'tool', name: call.name, arguments: textOf(call.arguments), isError: false })
      }
    },
  }
}

function textOf(given: unknown): Step['arguments'] {
  if (typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean') return given
  return given === null || given === undefined ? null : (stringifyGuarded(given) ?? null)
}
