/**
 * Reads traces for evaluators and for the built-in analysis; callers that need both read them once. References are
 * those that clients sent. Traces that have not arrived are excluded.
 */

import { readRatingScheme } from '../../annotations/rating-rule-queries.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { CaseTrace } from '../../evaluators/evaluator.ts'
import { isGoodRating } from '../../evaluators/rating-scheme.ts'
import { type Analysis, createAnalysis } from '../../insights/create-analysis.ts'
import type { AnalyzedTrace } from '../../insights/insight.ts'
import { readOutputForm } from '../../insights/read-output-form.ts'
import { ANALYZED_KINDS, createStepAnalysis, createStepCollector, STEP_KINDS } from '../../insights/trace-steps.ts'
import type { Queries } from '../../storage/db.ts'
import {
  listStepFacts,
  listStepTexts,
  type SpanSketch,
  type StepFacts,
  type StepTexts,
} from '../../traces/steps/step-queries.ts'
import { type HeldTrace, tracePortions, visitSteps } from '../../traces/steps/trace-portions.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { milliseconds } from '../../traces/trace-summary.ts'
import { type CaseSource, listRatings, splitCasePages } from './case-queries.ts'

export type CaseTraceRead = CaseTrace & {
  /** The id assigned by the server. */
  id: string
  /** The trace id from the sender. */
  traceId: string
  input: string | null
  output: string | null
  /** The turns before the input, if there are several; null unless requested. */
  conversation: string | null
}

/** What the analysis reads of a trace, without its ratings. */
type TraceFacts = Omit<AnalyzedTrace, 'ratings'>

type TraceRead = {
  /** As the client gave them: two references can name the same trace. */
  refs: readonly string[]
  trace: CaseTraceRead
  /** Undefined unless requested. */
  facts: TraceFacts | undefined
}

/**
 * `steps` and `facts` both require reading the spans. Without `steps` a trace has none; `facts` are for the analysis.
 */
type TracesWanted = { steps: boolean; facts: boolean; conversation?: boolean }

/** Yields each trace once, in portions of bounded size, so that a page of large traces need not fit into memory. */
export async function* readTraces(
  q: Queries,
  workspaceId: string,
  refs: readonly string[],
  wanted: TracesWanted,
): AsyncGenerator<TraceRead[]> {
  for await (const portion of tracePortions(q, workspaceId, refs, spansFor(wanted))) {
    const readers = await readSteps(q, workspaceId, portion, wanted)
    const contents = await findTraceContents(
      q,
      workspaceId,
      portion.map(({ traceId }) => traceId),
      wanted.conversation ? 'content and conversation' : 'content',
    )
    yield portion.flatMap((held) => {
      const content = contents.get(held.traceId)
      const { steps, facts } = readers.get(held.id) ?? {}
      // Deleted since the trace was found.
      if (!content) return []
      const trace = caseTraceOf(held, content, steps?.steps ?? [])
      return [{ refs: held.refs, trace, facts: facts && traceFactsOf(trace, facts) }]
    })
  }
}

/** Returns undefined if no spans are needed. The kinds for the analysis include those for steps. */
function spansFor({ steps, facts }: TracesWanted) {
  if (facts) return { kinds: ANALYZED_KINDS, withCost: true }
  return steps ? { kinds: STEP_KINDS, withCost: false } : undefined
}

type StepReaders = {
  steps: ReturnType<typeof createStepCollector> | undefined
  facts: ReturnType<typeof createStepAnalysis> | undefined
}

async function readSteps(
  q: Queries,
  workspaceId: string,
  portion: readonly HeldTrace[],
  wanted: TracesWanted,
): Promise<Map<string, StepReaders>> {
  const readers = new Map<string, StepReaders>()
  for (const { id, sketches } of portion) {
    readers.set(id, {
      steps: wanted.steps ? createStepCollector(sketches) : undefined,
      facts: wanted.facts ? createStepAnalysis(sketches) : undefined,
    })
  }
  const addStep = ({ id }: HeldTrace, sketch: SpanSketch, row: StepTexts) => readers.get(id)?.steps?.add(sketch, row)
  if (wanted.facts) {
    await visitSteps(
      portion,
      (spans) => listStepFacts(q, { workspaceId, ...spans }),
      (trace, sketch, row: StepFacts) => {
        addStep(trace, sketch, row)
        readers.get(trace.id)?.facts?.add(sketch, row)
      },
    )
  } else if (wanted.steps) {
    await visitSteps(portion, (spans) => listStepTexts(q, { workspaceId, ...spans }), addStep)
  }
  return readers
}

type Content = Pick<CaseTraceRead, 'input' | 'output' | 'conversation'>

function caseTraceOf(trace: HeldTrace, content: Content, steps: CaseTrace['steps']): CaseTraceRead {
  const { input, output, conversation } = content
  return {
    id: trace.id,
    traceId: trace.traceId,
    status: trace.status === 'error' ? 'error' : 'ok',
    durationMs: milliseconds(trace.durationNs),
    totalTokens: trace.totalTokens,
    costUsd: trace.costUsd,
    input,
    output,
    conversation,
    steps,
  }
}

function traceFactsOf(
  { id, status, durationMs, totalTokens, costUsd, output }: CaseTraceRead,
  { steps, offeredTools, requestedTools }: NonNullable<StepReaders['facts']>,
): TraceFacts {
  return {
    id,
    isError: status === 'error',
    durationMs,
    totalTokens,
    costUsd,
    answer: readOutputForm(output),
    steps,
    offeredTools: [...offeredTools],
    requestedTools: [...requestedTools],
  }
}

const CASES_PER_PAGE = 40

/** Insights, and totals over all traces. */
export type AnalysisResult = ReturnType<Analysis['finish']>

export type CaseAnalysis = {
  /** Adds traces with their facts, and the ratings by trace reference. */
  add(read: readonly TraceRead[], ratings: ReadonlyMap<string, readonly string[]>): void
  finish(): AnalysisResult
}

export async function openCaseAnalysis(q: Queries, workspaceId: string): Promise<CaseAnalysis> {
  const scheme = await readRatingScheme(q, workspaceId)
  // The analysis recognizes bad ratings by one word, independent of the words of the application.
  const plain = (rating: string) => (isGoodRating(scheme, rating) === false ? 'negative' : rating)
  const analysis = createAnalysis()
  return {
    add(read, ratings) {
      for (const { refs, facts } of read) {
        const given = refs.flatMap((ref) => ratings.get(ref) ?? [])
        if (facts) analysis.add({ ...facts, ratings: given.map(plain) })
      }
    },
    finish: () => analysis.finish(),
  }
}

/** Reads and analyzes all traces. */
export async function analyzeCases(q: Queries, source: CaseSource, signal: AbortSignal): Promise<AnalysisResult> {
  const { workspaceId } = source
  const analysis = await openCaseAnalysis(q, workspaceId)
  for await (const cases of splitCasePages(q, source, CASES_PER_PAGE)) {
    if (signal.aborted) break
    const refs = cases.flatMap(({ traceRef }) => (traceRef === null ? [] : [traceRef]))
    const ratings = await listRatings(q, source, refs)
    for await (const read of readTraces(q, workspaceId, refs, { steps: false, facts: true }))
      analysis.add(read, ratings)
    await yieldToEventLoop()
  }
  return analysis.finish()
}
