import type { Step } from '../evaluators/evaluator.ts'
import { stringifyGuarded } from '../traces/semconv/guarded-json.ts'
import type { SpanSketch, StepTexts } from '../traces/steps/step-queries.ts'
import { createCallFilter, requestedToolCalls } from './requested-tool-calls.ts'

/** What evaluators look at; chains, prompts and whatever has no meaning of its own are not things that a trace did. */
export const STEP_KINDS: readonly string[] = ['tool', 'llm', 'agent', 'retriever']

/**
 * Collects the steps of one trace, out of all of its spans that are read, in the order in which they began. Tools are steps by their spans; in a trace without any, the calls
 * that its models asked for take their places, each behind its model call. Whether those failed nobody knows.
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
