import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnalysis } from '../../src/insights/create-analysis.ts'
import type { AnalyzedTrace } from '../../src/insights/insight.ts'
import { INSIGHT_LIMITS } from '../../src/insights/insight-thresholds.ts'
import { analyse, step, toolStep, trace, traceDbIdOf, traces } from './analysed-traces.ts'

const name = fc.constantFrom('a', 'b', 'c', 'd')
const analysedStep = fc
  .record({
    kind: fc.constantFrom('llm', 'tool', 'retriever'),
    name,
    isError: fc.boolean(),
    errorMessage: fc.option(fc.constantFrom('late', 'lost'), { nil: null }),
    tokens: fc.nat(1_000),
    costUsd: fc.double({ min: 0, max: 1, noNaN: true }),
    inputHash: fc.option(fc.constantFrom('x', 'y'), { nil: null }),
    finishReasons: fc.subarray(['length', 'stop', 'max_tokens']),
  })
  .map(step)
const analysedTraces = fc
  .array(
    fc.record({
      isError: fc.boolean(),
      durationMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null }),
      totalTokens: fc.option(fc.nat(10_000), { nil: null }),
      costUsd: fc.option(fc.double({ min: 0, max: 10, noNaN: true }), { nil: null }),
      answer: fc.oneof(
        fc.constantFrom({ form: 'none' }, { form: 'empty' }, { form: 'text' } as const),
        fc.subarray(['p', 'q', 'r']).map((keys) => ({ form: 'json' as const, keys })),
      ),
      ratings: fc.array(fc.constantFrom('positive', 'negative', 'fine'), { maxLength: 3 }),
      steps: fc.array(analysedStep, { maxLength: 8 }),
      offeredTools: fc.uniqueArray(name),
      requestedTools: fc.uniqueArray(name),
    }),
    { maxLength: 40 },
  )
  .map((sketches) => sketches.map((sketch, place) => trace(place, sketch)))

describe('the built-in analysis', () => {
  it('lists a model and a tool of one name in the same order, for any order of the spans', () => {
    const costing = ['llm', 'tool'].map((kind, place) =>
      trace(place, { steps: [step({ kind, name: 'a', costUsd: 1 })] }),
    )
    const kindsOf = (all: AnalyzedTrace[]) => analyse(all).insights.map(({ details }) => details['kind'])
    expect(kindsOf(costing)).toEqual(['llm', 'tool'])
    expect(kindsOf(costing.toReversed())).toEqual(['llm', 'tool'])
  })

  it('finds the same for any order of the traces, and every number is in its bounds', () => {
    fc.assert(
      fc.property(analysedTraces.chain(withShuffled), ([all, shuffled]) => {
        const found = analyse(all)
        expect(analyse(shuffled)).toEqual(found)
        for (const insight of found.insights) {
          expect(insight.frequency).toBeGreaterThan(0)
          expect(insight.frequency).toBeLessThanOrEqual(1)
          expect(insight.affectedRunIds.length).toBeGreaterThan(0)
          expect(new Set(insight.affectedRunIds).size).toBe(insight.affectedRunIds.length)
          expect(insight.details.affectedTraces).toBe(insight.affectedRunIds.length)
          expect(`${insight.title} ${insight.description} ${insight.suggestedFix}`).not.toMatch(
            /NaN|undefined|Infinity/,
          )
        }
        for (const number of Object.values(found.meta)) expect(number).toBeGreaterThanOrEqual(0)
        expect(found.meta.totalRuns).toBe(all.length)
      }),
      { numRuns: 200 },
    )
  })

  it('returns zeros and no insights without traces', () => {
    const meta = { totalRuns: 0, totalTokens: 0, totalCostUsd: 0, averageDurationMs: 0, errorRate: 0 }
    expect(analyse([])).toEqual({ insights: [], meta })
    const unreported = trace(1, { durationMs: null, answer: { form: 'none' } })
    expect(analyse([unreported])).toEqual({ insights: [], meta: { ...meta, totalRuns: 1 } })
  })

  it('sums up all traces', () => {
    const all = traces(4, (place) => ({
      totalTokens: place === 0 ? null : 10,
      costUsd: place === 0 ? null : 0.1,
      durationMs: place === 0 ? null : place * 100,
      isError: place === 3,
    }))
    expect(analyse(all).meta).toEqual({
      totalRuns: 4,
      totalTokens: 30,
      totalCostUsd: 0.3,
      averageDurationMs: 200,
      errorRate: 0.25,
    })
  })

  it('lists the most severe first, and of equal severity the most frequent', () => {
    const steps = (place: number) => [
      toolStep('often', { isError: place < 50 }),
      toolStep('always', { isError: true }),
      toolStep('rarely', { isError: place < 4 }),
      toolStep('sometimes', { isError: place < 12 }),
    ]
    const { insights } = analyse(traces(100, (place) => ({ steps: steps(place), offeredTools: ['unused'] })))
    expect(insights.map(({ severity, details }) => [severity, details.tool])).toEqual([
      ['high', 'always'],
      ['high', 'often'],
      ['medium', 'sometimes'],
      ['low', 'unused'],
      ['low', 'rarely'],
    ])
  })

  it('names a limited number of tools and traces, the same ones for any order, and counts the traces exactly', () => {
    const all = traces(1_500, (place) => ({
      steps: [toolStep('z', { isError: true }), toolStep(`tool ${place}`, { isError: true })],
    }))
    const { insights } = analyse(all)
    expect(analyse(all.toReversed()).insights).toEqual(insights)
    expect(insights).toHaveLength(INSIGHT_LIMITS.insightsPerType)
    const failing = traces(1_500, () => ({ steps: [toolStep('z', { isError: true })] }))
    const [shared] = analyse(failing).insights
    expect(analyse(failing.toReversed()).insights).toEqual([shared])
    expect(shared).toMatchObject({
      details: { affectedTraces: 1_500 },
      title: 'z failed in 1,500 of 1,500 calls (100 %)',
    })
    expect(shared?.affectedRunIds).toEqual(Array.from({ length: 1_000 }, (_, place) => traceDbIdOf(place)))
  })

  it('names ten thousand ids in all: the severest insights have theirs, and none is without', () => {
    const names = Array.from({ length: 20 }, (_, place) => `tool ${String(place).padStart(2, '0')}`)
    const { insights } = analyse(
      traces(1_200, () => ({ steps: names.map((tool) => toolStep(tool, { isError: true })) })),
    )
    const counts = insights.map(({ affectedRunIds }) => affectedRunIds.length)
    expect(counts).toEqual([...Array(10).fill(1_000), ...Array(10).fill(20)])
    expect(new Set(insights.map(({ details }) => details.affectedTraces))).toEqual(new Set([1_200]))
  })

  it('needs less than 30 MB after 100,000 traces with every insight', { tags: 'deep' }, () => {
    const collect = exposedGc()
    const analysis = createAnalysis()
    collect()
    const before = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
    for (let place = 0; place < 100_000; place += 1) analysis.add(everythingWrong(place))
    collect()
    const heldBytes = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers - before
    const startedAt = performance.now()
    const { insights, meta } = analysis.finish()
    const finishMs = performance.now() - startedAt
    console.log(`100,000 traces: ${(heldBytes / 1e6).toFixed(1)} MB held, ended in ${finishMs.toFixed(0)} ms`)
    expect(heldBytes).toBeLessThan(30e6)
    expect(meta.totalRuns).toBe(100_000)
    expect(new Set(insights.map(({ type }) => type)).size).toBeGreaterThanOrEqual(9)
  })
})

function withShuffled(all: AnalyzedTrace[]) {
  return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }))
}

/** A tool of its own, loops, and names and messages that are never the same. */
function everythingWrong(place: number): AnalyzedTrace {
  const message = `${'lost '.repeat(40)}${place}`
  const looping = toolStep(`tool ${place % 2_000}`, { isError: true, errorMessage: message, inputHash: 'x' })
  const asked = step({
    name: `step ${place % 2_000}`,
    inputHash: 'x',
    tokens: 10,
    costUsd: 0.1,
    finishReasons: ['length'],
  })
  return trace(place, {
    isError: place % 2 === 0,
    durationMs: place % 100 === 0 ? 9_000 + place : place % 10,
    ratings: ['negative'],
    answer: place % 5 === 0 ? { form: 'json', keys: [`key ${place}`] } : { form: place % 3 === 0 ? 'none' : 'text' },
    steps: [looping, looping, looping, asked, asked],
    offeredTools: [`offered ${place}`, 'unused'],
  })
}

/** Switched on here and not for the process: nothing else may depend on it. */
function exposedGc(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
