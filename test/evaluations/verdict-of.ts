import type { Case, Evaluator, Step, Verdict } from '../../src/evaluators/evaluator.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'

const NOTHING: Case = { input: null, output: null, expected: null, baseline: null, ratings: [], trace: null }

/** What an entry of `config.evaluators` says of a case. */
export function verdictOf(entry: Record<string, unknown>, input: Partial<Case>): Verdict {
  const [evaluator] = readEvaluators([entry])
  if (!evaluator) throw new Error('there is no evaluator')
  return verdictBy(evaluator, input)
}

export function verdictBy(evaluator: Evaluator, input: Partial<Case>): Verdict {
  const noModel = () => Promise.reject(new Error('no model is asked here'))
  const deps = { model: { complete: noModel, embed: noModel }, repetition: 1 }
  const verdict = evaluator.evaluate({ ...NOTHING, ...input }, deps)
  if (verdict instanceof Promise) throw new Error(`${evaluator.type} waits for something`)
  return verdict
}

/** The score, or undefined for a case that has none. */
export function scoreOf(entry: Record<string, unknown>, input: Partial<Case>): number | null | undefined {
  const verdict = verdictOf(entry, input)
  return verdict.state === 'scored' ? verdict.score : undefined
}

export function reasonOf(entry: Record<string, unknown>, input: Partial<Case>): string | undefined {
  return verdictOf(entry, input).reason
}

/** As when an evaluation starts: what cannot be compiled is an error of the config. */
export function readAndCompile(evaluators: unknown): Evaluator[] {
  const read = readEvaluators(evaluators)
  for (const { compile } of read) compile?.()
  return read
}

/** A trace that did this and nothing else worth knowing. Structured arguments become their JSON text, as they are read. */
export function traceWith(
  steps: readonly (Partial<Omit<Step, 'arguments'>> & { arguments?: unknown })[],
  rest: Partial<NonNullable<Case['trace']>> = {},
): { trace: NonNullable<Case['trace']> } {
  const full = steps.map(({ arguments: given = {}, ...step }) => {
    const text = typeof given === 'string' || given === null ? given : JSON.stringify(given)
    return { kind: 'tool', name: 'step', isError: false, ...step, arguments: text }
  })
  return { trace: { status: 'ok', durationMs: null, totalTokens: null, costUsd: null, ...rest, steps: full } }
}
