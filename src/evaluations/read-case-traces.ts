/** What evaluators and the built-in analysis see of traces. References are as clients gave them; a trace that has not arrived is left out. */
import type { Queries } from '../storage/db.ts'
import { findTraceContents } from '../traces/trace-contents.ts'
import { milliseconds } from '../traces/trace-summary.ts'
import { listStepFacts, listStepTexts } from './case-trace-queries.ts'
import type { CaseTrace } from './evaluators/evaluator.ts'
import { ANALYSED_KINDS, createStepAnalysis } from './insights/analyse-steps.ts'
import type { Analysis } from './insights/create-analysis.ts'
import { readAnswer } from './insights/read-answer.ts'
import { type HeldTrace, tracePortions, visitSteps } from './insights/trace-portions.ts'
import { createStepCollector, STEP_KINDS } from './insights/trace-steps.ts'

export type CaseTraceRead = CaseTrace & {
  /** Ours. */
  id: string
  /** The sender's. */
  traceId: string
  input: string | null
  output: string | null
}

/** Steps cost reading the spans; whoever has no need of them asks for the summary, whose steps are empty. */
export type ReadOptions = { with: 'summary' | 'steps' }

/** By reference, in portions that are bounded in what they hold, so that a page of large traces need not fit into memory. */
export async function* caseTracePortions(
  q: Queries,
  workspaceId: string,
  refs: readonly string[],
  { with: what }: ReadOptions,
): AsyncGenerator<Map<string, CaseTraceRead>> {
  const wanted = what === 'steps' ? { kinds: STEP_KINDS, withCost: false } : undefined
  for await (const portion of tracePortions(q, workspaceId, refs, wanted)) {
    const collectors = new Map(portion.map(({ id, sketches }) => [id, createStepCollector(sketches)]))
    await visitSteps(
      portion,
      (spans) => listStepTexts(q, { workspaceId, ...spans }),
      ({ id }, sketch, row) => collectors.get(id)?.add(sketch, row),
    )
    const contents = await contentsOf(q, workspaceId, portion)
    const read = portion.flatMap((trace) => {
      const steps = collectors.get(trace.id)?.steps ?? []
      const content = contents.get(trace.traceId)
      // Deleted since it was found.
      return content ? trace.refs.map((ref) => [ref, toCaseTrace(trace, content, steps)] as const) : []
    })
    yield new Map(read)
  }
}

/** Feeds traces into the analysis, each once, however many references name it. Ratings are looked up by the references given. */
export async function analyseTraces(
  q: Queries,
  workspaceId: string,
  refs: readonly string[],
  analysis: Analysis,
  ratingsByRef: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const wanted = { kinds: ANALYSED_KINDS, withCost: true }
  for await (const portion of tracePortions(q, workspaceId, refs, wanted)) {
    const analyses = new Map(portion.map(({ id, sketches }) => [id, createStepAnalysis(sketches)]))
    await visitSteps(
      portion,
      (spans) => listStepFacts(q, { workspaceId, ...spans }),
      ({ id }, sketch, row) => analyses.get(id)?.add(sketch, row),
    )
    const contents = await contentsOf(q, workspaceId, portion)
    for (const trace of portion) {
      const content = contents.get(trace.traceId)
      const read = analyses.get(trace.id)
      if (!content || !read) continue
      analysis.add({
        id: trace.id,
        isError: trace.status === 'error',
        durationMs: milliseconds(trace.durationNs),
        totalTokens: trace.totalTokens,
        costUsd: trace.costUsd,
        answer: readAnswer(content.output),
        ratings: trace.refs.flatMap((ref) => ratingsByRef.get(ref) ?? []),
        steps: read.steps,
        offeredTools: [...read.offeredTools],
        askedTools: [...read.askedTools],
      })
    }
  }
}

type Content = { input: string | null; output: string | null }

async function contentsOf(q: Queries, workspaceId: string, portion: readonly HeldTrace[]) {
  return findTraceContents(
    q,
    workspaceId,
    portion.map(({ traceId }) => traceId),
  )
}

function toCaseTrace(trace: HeldTrace, { input, output }: Content, steps: CaseTrace['steps']): CaseTraceRead {
  return {
    id: trace.id,
    traceId: trace.traceId,
    status: trace.status === 'error' ? 'error' : 'ok',
    durationMs: milliseconds(trace.durationNs),
    totalTokens: trace.totalTokens,
    costUsd: trace.costUsd,
    input,
    output,
    steps,
  }
}
