/**
 * What is held to a limit here is the work that a score is charged with, which is the same on every machine. How long the thread that serves
 * requests stands still meanwhile is measured in `evaluator-pauses.test.ts`.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { asksModel, type Case, type Evaluator, type Verdict } from '../../src/evaluators/evaluator.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { WORK_MAX, workBudget } from '../../src/evaluators/work-budget.ts'
import { createAnalysis } from '../../src/insights/create-analysis.ts'
import { readOutputForm } from '../../src/insights/read-output-form.ts'
import { runs } from '../harness/stage.ts'
import { caseOf, ENTRIES, MODEL, TEXT_MAX, TEXTS, textOf } from './adversarial-cases.ts'

/** What came of it, and what it was charged. */
async function score(evaluator: Evaluator, input: Case): Promise<{ verdict: Verdict; units: number }> {
  let units = 0
  const inner = workBudget()
  const budget = {
    spend(more: number) {
      inner.spend(more)
      units += more
    },
  }
  // What a judge makes of an answer is tested elsewhere.
  const verdict: Verdict = await Promise.resolve(
    evaluator.evaluate(input, { model: MODEL, repetition: 1, budget }),
  ).catch(() => ({ state: 'skipped', reason: 'the answer cannot be used' }))
  return { verdict, units }
}

const text = fc.constantFrom(...Object.keys(TEXTS))
const size = fc.constantFrom(1_000, 30_000, 300_000, TEXT_MAX)

describe('the work of one score', () => {
  it('is held against adversarial texts for every type of evaluator that there is', () => {
    expect(Object.keys(ENTRIES).sort()).toEqual(EVALUATOR_DEFINITIONS.map(({ type }) => type).sort())
  })

  describe.each(EVALUATOR_DEFINITIONS.map(({ type }) => type))('%s', (type) => {
    const title = 'is charged for what it reads, and never more than a score may cost (%#)'
    const [first = {}, ...others] = ENTRIES[type] ?? []
    it.each([first])(title, { tags: 'sized' }, expectBounded)
    it.each(others)(title, { tags: 'deep' }, expectBounded)

    async function expectBounded(options: Record<string, unknown>): Promise<void> {
      const [evaluator] = readEvaluators([{ type, ...options }])
      if (!evaluator) throw new Error(`there is no ${type}`)
      await fc.assert(
        fc.asyncProperty(
          text,
          text,
          size,
          fc.constantFrom('same', 'other end', 'other text'),
          async (name, other, length, how) => {
            const output = textOf(name, length)
            const expected = {
              same: output,
              'other end': `${output.slice(0, -2)}0]`,
              'other text': textOf(other, length),
            }[how]
            const { verdict, units } = await score(evaluator, caseOf(output, expected))
            expect(units).toBeLessThanOrEqual(WORK_MAX)
            expect(['scored', 'skipped']).toContain(verdict.state)
            const isWholeRead = evaluator.needs.includes('output') && !asksModel(evaluator) && output !== expected
            if (verdict.state === 'scored' && isWholeRead) expect(units).toBeGreaterThanOrEqual(output.length)
          },
        ),
        { numRuns: runs(12), endOnFailure: true },
      )
    }
  })

  it('of a match above the budget is an error of that score with the reason', async () => {
    const [evaluator] = readEvaluators([{ type: 'jsonEqual', ignoreOrder: true, subset: true }])
    if (!evaluator) throw new Error('there is no jsonEqual')
    const entry = (place: number) => ({ a: place, text: 'x'.repeat(400) })
    const expected = JSON.stringify(Array.from({ length: 2_000 }, (_, place) => entry(place)))
    const output = JSON.stringify(Array.from({ length: 900 }, (_, place) => entry(place + 5_000)))
    const { verdict } = await score(evaluator, caseOf(output, expected))
    expect(verdict).toEqual({ state: 'skipped', reason: expect.stringMatching(/too large for jsonEqual/) })
  })

  it('of a match is charged for the texts of every pair that it compares', async () => {
    const [evaluator] = readEvaluators([{ type: 'jsonEqual', ignoreOrder: true, subset: true }])
    if (!evaluator) throw new Error('there is no jsonEqual')
    const [count, length] = [40, 1_000]
    const texts = (end: string) =>
      JSON.stringify(Array.from({ length: count }, (_, place) => `${'x'.repeat(length)}${end}${place}`))
    const { units } = await score(evaluator, caseOf(texts('a'), texts('b')))
    expect(units).toBeGreaterThanOrEqual(count * count * 2 * length)
  })

  it('of a comparison in any order is charged for a text at every level that it is written at', async () => {
    const [evaluator] = readEvaluators([{ type: 'jsonEqual', ignoreOrder: true }])
    if (!evaluator) throw new Error('there is no jsonEqual')
    const [depth, length] = [300, 10_000]
    const nested = (end: string) => `${'['.repeat(depth)}"${'x'.repeat(length)}${end}"${']'.repeat(depth)}`
    const { units } = await score(evaluator, caseOf(nested('a'), nested('b')))
    expect(units).toBeGreaterThanOrEqual(depth * 2 * length)
  })

  it('of the analysis of one trace is bounded by the trace', () => {
    const analysis = createAnalysis()
    for (const make of Object.values(TEXTS)) {
      const output = make(TEXT_MAX)
      const answer = readOutputForm(output)
      analysis.add({
        id: 'a',
        isError: false,
        durationMs: 1,
        totalTokens: 1,
        costUsd: 1,
        answer,
        steps: [],
        offeredTools: [],
        requestedTools: [],
        ratings: [],
      })
    }
    expect(analysis.finish()).toBeDefined()
  })
})
