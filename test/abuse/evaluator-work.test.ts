/**
 * Texts and values that are as bad as they can be for an evaluator, up to the sizes that traces and items may have. What is held to a limit
 * is the work that a score is charged with, which is the same on every machine; the time on the processor is only reported.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { asksModel, type Case, type Evaluator, type Verdict } from '../../src/evaluators/evaluator.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { WORK_MAX, workBudget } from '../../src/evaluators/work-budget.ts'
import { createAnalysis } from '../../src/insights/create-analysis.ts'
import { readAnswer } from '../../src/insights/read-answer.ts'
import { traceWith } from '../evaluations/verdict-of.ts'

/** As long as the texts of a span may be. */
const TEXT_MAX = 1 << 20
const STEPS = 500

/** Every type of evaluator, with the options that make it work most. */
const ENTRIES: Record<string, Record<string, unknown>[]> = {
  exactMatch: [{}, { trim: true, ignoreCase: true }, { path: 'a' }],
  contains: [{ ignoreCase: true }, { value: `${'a'.repeat(19_999)}b` }],
  containsAny: [{ values: Array.from({ length: 1_000 }, (_, place) => `${'a'.repeat(50)}${place}`) }],
  containsAll: [{ values: [`${'a'.repeat(19_999)}b`, `${'1,'.repeat(9_000)}x`], ignoreCase: true }],
  regex: [{ pattern: '(a+)+$' }, { pattern: '(?:[a-z]{0,40}x){10}', ignoreCase: true }],
  jsonValid: [{}],
  jsonSchema: [
    { schema: { type: 'array', uniqueItems: true, items: { pattern: '^(a|aa)+$', format: 'email' } } },
    {
      schema: {
        $ref: '#/$defs/a',
        $defs: {
          a: { anyOf: [{ items: { $ref: '#/$defs/a' } }, { $ref: '#/$defs/b' }] },
          b: { contains: { $ref: '#/$defs/a' } },
        },
      },
    },
  ],
  jsonEqual: [{}, { ignoreOrder: true }, { subset: true }, { ignoreOrder: true, subset: true }],
  numeric: [{ find: 'last' }, { find: 'whole', value: 1 }],
  levenshtein: [{ ignoreCase: true }],
  tokenF1: [{}],
  rougeL: [{}],
  rougeN: [{ n: 4 }],
  bleu: [{ ignoreCase: true }],
  length: [{ maxCharacters: 5, minWords: 1 }],
  toolCalls: [{ match: 'unordered' }, { match: 'unordered', arguments: 'subset' }, { match: 'ordered' }],
  trajectory: [{ match: 'unordered' }, { match: 'exact' }],
  latency: [{ maxMs: 1 }],
  cost: [{ maxUsd: 1 }],
  tokens: [{ max: 1 }],
  f1: [{ ignoreCase: true }],
  humanRating: [{}],
  llmJudge: [{ instructions: 'Is it good?' }],
  classify: [{ labels: ['a', 'b'] }],
  comparisonJudge: [{}],
  referenceJudge: [{ instructions: 'Is it right?' }],
  pairwise: [{}],
  embeddingSimilarity: [{}],
}

const TEXTS: Record<string, (size: number) => string> = {
  'one letter': (size) => 'a'.repeat(size),
  'short words': (size) => 'a b '.repeat(size / 4),
  'many words': (size) => Array.from({ length: size / 7 }, (_, place) => place.toString(36)).join(' '),
  'unspaced script': (size) => '漢'.repeat(size),
  'letters that grow': (size) => 'ß'.repeat(size),
  'marks to compose': (size) => '\u0301'.repeat(size),
  'letters to compose': (size) => '\u1100\u1161\u11a8'.repeat(size / 3),
  punctuation: (size) => '!.,'.repeat(size / 3),
  'line ends': (size) => '\r\n'.repeat(size / 2),
  numbers: (size) => '1,111'.repeat(size / 5),
  spaces: (size) => ' '.repeat(size),
  surrogates: (size) => '👍'.repeat(size / 2),
  'a fence that never ends': (size) => `\`\`\`${'\n'.repeat(size - 4)}x`,
  'a long array': (size) => `[${'1,'.repeat(size / 2 - 2)}1]`,
  'a wide object': (size) => `{${Array.from({ length: size / 12 }, (_, place) => `"${place.toString(36)}":1`).join()}}`,
  'objects that overlap': (size) =>
    `[${Array.from({ length: size / 40 }, (_, place) => `{"a":${place % 7},"b":${place % 11},"c":${place % 13}}`).join()}]`,
  'nested arrays': (size) =>
    `[${Array.from({ length: size / 800 }, () => `${'['.repeat(390)}1${']'.repeat(390)}`).join()}]`,
  'long texts in arrays': (size) => `[${Array.from({ length: 8 }, () => JSON.stringify('é'.repeat(size / 8))).join()}]`,
  'calls of tools': (size) =>
    JSON.stringify(
      Array.from({ length: STEPS }, (_, place) => ({
        name: 'a',
        arguments: { text: 'x'.repeat(size / STEPS / 2), n: place },
      })),
    ),
}

const longest: Record<string, { ms: number; units: number }> = {}

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
  const vector = Array.from({ length: 200_000 }, (_, place) => place / 7)
  const model = {
    complete: async () => ({
      value: { reason: 'x', passed: true, score: 1, label: 'a', better: 'A' },
      model: 'm',
      usage: { inputTokens: 1, outputTokens: 1 },
    }),
    embed: async () => ({ vectors: [vector, vector], model: 'm', usage: { inputTokens: 1, outputTokens: 0 } }),
  }
  const from = process.threadCpuUsage()
  // What a judge makes of an answer is tested elsewhere.
  const verdict: Verdict = await Promise.resolve(evaluator.evaluate(input, { model, repetition: 1, budget })).catch(
    () => ({ state: 'skipped', reason: 'the answer cannot be used' }),
  )
  const { user, system } = process.threadCpuUsage(from)
  const ms = (user + system) / 1_000
  if (ms > (longest[evaluator.type]?.ms ?? 0)) longest[evaluator.type] = { ms: Math.round(ms), units }
  return { verdict, units }
}

function caseOf(output: string, expected: string): Case {
  const names = output.split(' ', STEPS)
  const steps = Array.from({ length: STEPS }, (_, place) => ({
    name: names[place] ?? 'a',
    arguments: { text: output.slice(0, 2_000), n: place },
  }))
  return { input: output, output, expected, baseline: expected, ratings: ['positive'], ...traceWith(steps) }
}

const text = fc.constantFrom(...Object.keys(TEXTS))
const size = fc.constantFrom(1_000, 30_000, 300_000, TEXT_MAX)

function textOf(name: string, length: number): string {
  return TEXTS[name]?.(length) ?? ''
}

describe('the work of one score', () => {
  it('is held against adversarial texts for every type of evaluator that there is', () => {
    expect(Object.keys(ENTRIES).sort()).toEqual(EVALUATOR_DEFINITIONS.map(({ type }) => type).sort())
  })

  describe.each(EVALUATOR_DEFINITIONS.map(({ type }) => type))('%s', (type) => {
    it.each(ENTRIES[type] ?? [])(
      'is charged for what it reads, and never more than a score may cost (%#)',
      async (options) => {
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
          { numRuns: 12, endOnFailure: true },
        )
      },
    )
  })

  it('of a match that needs more than it may is an error of that score, which says so', async () => {
    const [evaluator] = readEvaluators([{ type: 'jsonEqual', ignoreOrder: true, subset: true }])
    if (!evaluator) throw new Error('there is no jsonEqual')
    const entry = (place: number) => ({ a: place, text: 'x'.repeat(400) })
    const expected = JSON.stringify(Array.from({ length: 2_000 }, (_, place) => entry(place)))
    const output = JSON.stringify(Array.from({ length: 900 }, (_, place) => entry(place + 5_000)))
    const { verdict } = await score(evaluator, caseOf(output, expected))
    expect(verdict).toEqual({ state: 'skipped', reason: expect.stringMatching(/too large for jsonEqual/) })
  })

  it('of the analysis of one trace is bounded by the trace', () => {
    const analysis = createAnalysis()
    for (const make of Object.values(TEXTS)) {
      const output = make(TEXT_MAX)
      const from = process.threadCpuUsage()
      const answer = readAnswer(output)
      analysis.add({
        id: 'a',
        isError: false,
        durationMs: 1,
        totalTokens: 1,
        costUsd: 1,
        answer,
        steps: [],
        offeredTools: [],
        askedTools: [],
        ratings: [],
      })
      const { user, system } = process.threadCpuUsage(from)
      const ms = Math.round((user + system) / 1_000)
      if (ms > (longest.insights?.ms ?? 0)) longest.insights = { ms, units: output.length }
    }
    expect(analysis.finish()).toBeDefined()
  })

  afterAll(() => {
    const lines = Object.entries(longest).map(([type, { ms, units }]) => `${type} ${ms} ms (${units} units)`)
    console.log(`longest pause on the processor: ${lines.join(', ')}`)
  })
})
