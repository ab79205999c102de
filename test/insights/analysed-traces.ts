/** Traces as the analysis sees them, with only the fields that a test needs. */

import { createAnalysis } from '../../src/insights/create-analysis.ts'
import type { AnalyzedStep, AnalyzedTrace, Insight } from '../../src/insights/insight.ts'

export function step(sketch: Partial<AnalyzedStep>): AnalyzedStep {
  return {
    kind: 'llm',
    name: 'chat',
    isError: false,
    errorMessage: null,
    tokens: 0,
    costUsd: 0,
    inputHash: null,
    finishReasons: [],
    ...sketch,
  }
}

/** A call of a tool. */
export function toolStep(name: string, sketch: Partial<AnalyzedStep> = {}): AnalyzedStep {
  return step({ kind: 'tool', name, ...sketch })
}

/** Ids sort as their numbers do. */
export function traceDbIdOf(number: number): string {
  return `019a0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
}

export function trace(number: number, sketch: Partial<AnalyzedTrace> = {}): AnalyzedTrace {
  return {
    id: traceDbIdOf(number),
    isError: false,
    durationMs: 100,
    totalTokens: null,
    costUsd: null,
    answer: { form: 'text' },
    ratings: [],
    steps: [],
    offeredTools: [],
    requestedTools: [],
    ...sketch,
  }
}

/** As many traces as sketches; `like(place)` for each place. */
export function traces(count: number, like: (place: number) => Partial<AnalyzedTrace>): AnalyzedTrace[] {
  return Array.from({ length: count }, (_, place) => trace(place, like(place)))
}

export function analyse(all: readonly AnalyzedTrace[]) {
  const analysis = createAnalysis()
  for (const one of all) analysis.add(one)
  return analysis.finish()
}

export function insightsOf(type: Insight['type'], all: readonly AnalyzedTrace[]): Insight[] {
  return analyse(all).insights.filter((insight) => insight.type === type)
}
