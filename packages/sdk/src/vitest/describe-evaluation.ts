/**
 * Evaluations as tests of Vitest: `import { describeEvaluation } from 'touchstone-sdk/vitest'`. Each item of the dataset is a test; with a
 * gate, one more test decides for all of them, and single cases do not fail, because models are never right every time.
 */
import { beforeAll, describe, it } from 'vitest'
import { type EvaluateResult, evaluate, type ScoredCase } from '../evaluate/evaluate.ts'
import type { EvaluatedCase, EvaluateOptions, Scorer } from '../evaluate/evaluate-options.ts'
import { readItems } from '../evaluate/read-items.ts'
import { Touchstone } from '../touchstone.ts'

export interface DescribeEvaluationOptions<Output> extends EvaluateOptions<Output> {
  /** Assertions on one case. What it throws fails the case; the metric `check` has the share of cases that passed. */
  check?: (checked: EvaluatedCase<Output>) => void | Promise<void>
  /** Of the whole evaluation. Default: 10 minutes. */
  timeoutMs?: number
}

const TIMEOUT_MS = 600_000
const TITLE_LENGTH_MAX = 60

/** Defines the tests of an evaluation. The server is asked for the items while tests are collected. */
export function describeEvaluation<Output>(name: string, options: DescribeEvaluationOptions<Output>): void {
  const { check, timeoutMs = TIMEOUT_MS, ...given } = options
  describe(name, async () => {
    const client = options.client ?? new Touchstone()
    const { items } = await readItems(client, given)
    let result: EvaluateResult<Output> | undefined
    beforeAll(async () => {
      const evaluators = [...(given.evaluators ?? []), ...(check ? [checkScorer(check)] : [])]
      const named = { name, ...given, client, ...(evaluators.length > 0 && { evaluators }) }
      result = await evaluate(named)
    }, timeoutMs)
    for (const { id, input } of items) {
      it(titleOf(input), async ({ annotate }) => {
        const problems = (result?.cases ?? []).filter(({ item }) => item.id === id).flatMap(problemsOf)
        if (problems.length === 0) return
        if (!options.gate) throw new Error(problems.join('\n'))
        await annotate(problems.join('\n'), 'warning')
      })
    }
    if (options.gate) it('passes the gate', () => assertGate(result))
  })
}

function checkScorer<Output>(check: NonNullable<DescribeEvaluationOptions<Output>['check']>): Scorer<Output> {
  return {
    name: 'check',
    async score(scored) {
      try {
        await check(scored)
        return true
      } catch (error) {
        return { passed: false, reason: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}

/** Why a case counts as failed: its task threw, an evaluator failed, or it did not pass one. */
function problemsOf<Output>({ error, scores }: ScoredCase<Output>): string[] {
  if (error !== undefined) return [error]
  return Object.values(scores).flatMap((score) => {
    if (score.state === 'failed') return [`${score.evaluator}: ${score.error}`]
    return score.passed === false ? [`${score.evaluator}: ${score.reason ?? 'not passed'}`] : []
  })
}

function assertGate<Output>(result: EvaluateResult<Output> | undefined): void {
  if (result?.gate?.passed) return
  const summary = result?.gate?.summary ?? 'The evaluation has no result.'
  const verdict = result?.comparison?.summary
  throw new Error([summary, ...(verdict ? [verdict] : []), ...(result ? [result.url] : [])].join('\n'))
}

function titleOf(input: string | null): string {
  const text = (input ?? '').replace(/\s+/g, ' ').trim() || 'without input'
  return text.length > TITLE_LENGTH_MAX ? `${text.slice(0, TITLE_LENGTH_MAX)}…` : text
}
