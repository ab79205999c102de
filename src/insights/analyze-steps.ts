import { hash } from 'node:crypto'
import { hashContent } from '../datasets/input-hash.ts'
import { finishReasonsOf } from '../traces/semconv/finish-reasons.ts'
import { readCallSettings } from '../traces/semconv/offered-tools.ts'
import type { SpanSketch, StepFacts } from '../traces/steps/step-queries.ts'
import { readAttributes } from '../traces/storing/build-span-row.ts'
import { uncovered } from '../traces/storing/usage-coverage.ts'
import type { AnalyzedStep } from './analyzed-trace.ts'
import { createCallFilter, requestedToolCalls } from './requested-tool-calls.ts'

/**
 * The kinds of spans that can fail, cost money or be repeated. Spans of other kinds are analyzed only if they report a
 * cost.
 */
export const ANALYZED_KINDS: readonly string[] = [
  'tool',
  'llm',
  'agent',
  'retriever',
  'embedding',
  'reranker',
  'guardrail',
]

/** Builds the analyzed steps of one trace. Texts are replaced with hashes so that none is kept in memory. */
export function createStepAnalysis(sketches: readonly SpanSketch[]) {
  const toolsWithSpans = new Set(sketches.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : [])))
  const hasToolSpans = toolsWithSpans.size > 0
  const isNew = createCallFilter()
  const steps: AnalyzedStep[] = []
  const offeredTools = new Set<string>()
  const requestedTools = new Set<string>()

  function addRequestedTools({ output, outputFrom }: StepFacts): void {
    for (const call of requestedToolCalls(output, outputFrom).filter(isNew)) {
      requestedTools.add(call.name)
      if (!hasToolSpans)
        steps.push({ ...STEP_DEFAULTS, kind: 'tool', name: call.name, inputHash: hashArguments(call.arguments) })
    }
  }

  return {
    steps,
    offeredTools,
    requestedTools,
    add(sketch: SpanSketch, row: StepFacts): void {
      const { totalTokens, costUsd } = uncovered(row, row.covered)
      const { kind, name } = sketch
      const step = {
        ...STEP_DEFAULTS,
        kind,
        name,
        isError: row.status === 'error',
        errorMessage: row.errorMessage,
        tokens: totalTokens ?? 0,
        costUsd: costUsd ?? 0,
      }
      if (kind !== 'llm') {
        steps.push({ ...step, inputHash: kind === 'tool' && row.input !== null ? hashContent(row.input) : null })
        return
      }
      const call = readModelCall(row)
      steps.push({ ...step, inputHash: call.inputHash, finishReasons: call.finishReasons })
      for (const tool of call.offeredTools) offeredTools.add(tool)
      // Parsing an output is the most expensive step. If the trace has tool spans, it is only needed for offered tools
      // without spans.
      if (!hasToolSpans || call.offeredTools.some((tool) => !toolsWithSpans.has(tool))) addRequestedTools(row)
    },
  }
}

const STEP_DEFAULTS = {
  isError: false,
  errorMessage: null,
  tokens: 0,
  costUsd: 0,
  inputHash: null,
  finishReasons: [],
} as const

function readModelCall({ model, input, output, attributes }: StepFacts) {
  const parsed = readAttributes(attributes ?? '{}')
  const { settings, offeredTools } = readCallSettings(parsed, input)
  const finishReasons = finishReasonsOf(parsed, output)
  const request = input === null ? null : `${model}\n${JSON.stringify(settings)}\n${input}`
  return { offeredTools, finishReasons, inputHash: request === null ? null : hash('sha256', request, 'base64url') }
}

/** Produces the same hash as `hashContent` does for a span with the same arguments as text. */
function hashArguments(args: unknown): string {
  return hashContent(typeof args === 'string' ? args : JSON.stringify(args))
}
