/** The steps of a trace, as evaluators and the built-in analysis see them. */
import { hash } from 'node:crypto'
import { hashContent } from '../datasets/items/input-hash.ts'
import type { Step } from '../evaluators/evaluator.ts'
import { finishReasonsOf } from '../traces/semconv/finish-reasons.ts'
import { stringifyGuarded } from '../traces/semconv/json/guarded-json.ts'
import { messagesOfTexts } from '../traces/semconv/messages/map-messages.ts'
import { readCallSettings } from '../traces/semconv/offered-tools.ts'
import type { SpanSketch, StepFacts, StepTexts } from '../traces/steps/step-queries.ts'
import { readAttributes } from '../traces/storing/build-span-row.ts'
import { uncovered } from '../traces/storing/usage-coverage.ts'
import type { AnalyzedStep } from './insight.ts'

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

type RequestedToolCall = { id: string | null; name: string; arguments: unknown }

/** All formats of a tool call have one of these words in their keys, so an output without them is not parsed. */
const MAY_CONTAIN_CALL = /tool|function/i

/** The tool calls that the output of a model contains. */
function requestedToolCalls(output: string | null, key: string | null): RequestedToolCall[] {
  if (output === null || !MAY_CONTAIN_CALL.test(output)) return []
  const conversation = messagesOfTexts(null, { text: output, key })
  return (conversation?.output ?? []).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== 'tool_call') return []
      return [{ id: part.id, name: part.name, arguments: part.arguments }]
    }),
  )
}

/** Returns a filter that drops repeated ids: several spans may contain the same output. */
function createCallFilter(): (call: RequestedToolCall) => boolean {
  const seen = new Set<string>()
  return ({ id }) => {
    if (id === null) return true
    if (seen.has(id)) return false
    seen.add(id)
    return true
  }
}
