/** The built-in analysis of the traces of an evaluation. */

import { readRatingScheme } from '../../annotations/rating-scheme-queries.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { isGoodRating } from '../../evaluators/rating-scheme.ts'
import { type Analysis, createAnalysis } from '../../insights/create-analysis.ts'
import type { Queries } from '../../storage/db.ts'
import { type CaseSource, listRatings } from '../runner/case-queries.ts'
import { readTraces, type TraceRead } from '../runner/read-case-traces.ts'
import { splitCasePages } from '../runner/split-cases.ts'

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
