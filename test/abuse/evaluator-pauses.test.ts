// @module-tag deep
/**
 * How long the thread that serves requests stands still while an evaluator works, run as the server runs it: its config read and compiled,
 * and a case scored. A pause is the processor time of this thread between two of its turns, which other processes and threads do not
 * change. The collector of garbage does: the worst case is measured several times, and the least counts.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/evaluations/evaluation-config.ts'
import { compileEvaluators, evaluateCase } from '../../src/evaluations/runner/evaluate-case.ts'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { asksModel, type Case, ConfigError } from '../../src/evaluators/evaluator.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { runs } from '../harness/stage.ts'
import { caseOf, ENTRIES, MODEL, TEXT_MAX, TEXTS, textOf } from './adversarial-cases.ts'

const PAUSE_MS_MAX = 50
const TRIES = 5

const text = fc.constantFrom(...Object.keys(TEXTS))
/** The middle ones are as long as texts may be to be scored in place. */
const size = fc.constantFrom(1_000, 4_000, 16_000, 300_000, TEXT_MAX)

const longest: Record<string, number> = {}

describe('the longest pause of the thread that serves requests', () => {
  describe.each(EVALUATOR_DEFINITIONS.map(({ type }) => type))('%s', (type) => {
    it.each(ENTRIES[type] ?? [])(`is at most ${PAUSE_MS_MAX} ms (%#)`, async (options) => {
      const measured: { input: Case; ms: number }[] = []
      await fc.assert(
        fc.asyncProperty(text, text, size, async (name, other, length) => {
          const input = caseOf(textOf(name, length), textOf(other, length))
          measured.push({ input, ms: await longestTurn(() => scoreLikeServer(type, options, input)) })
        }),
        { numRuns: runs(8), endOnFailure: true },
      )
      const [worst] = measured.sort((a, b) => b.ms - a.ms)
      const tries: number[] = []
      for (let count = 0; worst && count < TRIES; count += 1)
        tries.push(await longestTurn(() => scoreLikeServer(type, options, worst.input)))
      const least = worst ? Math.min(...tries) : 0
      longest[type] = Math.max(longest[type] ?? 0, least)
      expect(least).toBeLessThanOrEqual(PAUSE_MS_MAX)
    })
  })

  afterAll(() => {
    const lines = Object.entries(longest).map(([type, ms]) => `${type} ${ms.toFixed(1)}`)
    console.log(`longest pause in ms of processor time: ${lines.join(', ')}`)
  })
})

async function scoreLikeServer(type: string, options: Record<string, unknown>, input: Case): Promise<void> {
  const entries = [{ type, ...options }]
  // The thread caches configs; the pause to read one is part of what is measured.
  const config = {
    ...readConfig('{}'),
    text: JSON.stringify({ evaluators: entries }),
    evaluators: readEvaluators(entries),
  }
  const of = { workspaceId: 'w', config, signal: new AbortController().signal }
  const [evaluator] = config.evaluators
  if (!evaluator) throw new Error(`there is no ${type}`)
  try {
    await compileEvaluators({ ...of, use: 'evaluation' })
  } catch (error) {
    // What cannot be compiled is not run.
    if (error instanceof ConfigError) return
    throw error
  }
  if (!asksModel(evaluator)) await evaluateCase(evaluator, input, of)
  // An answer that a judge cannot use is as good as any here.
  else await Promise.resolve(evaluator.evaluate(input, { model: MODEL, repetition: 1 })).catch(() => undefined)
}

/** In milliseconds of processor time of this thread. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let isOver = false
  let longest = 0
  const ended = new Promise<void>((resolve) => {
    let from = process.threadCpuUsage()
    const look = () => {
      const { user, system } = process.threadCpuUsage(from)
      longest = Math.max(longest, (user + system) / 1_000)
      from = process.threadCpuUsage()
      if (isOver) resolve()
      else setTimeout(look, 1)
    }
    setTimeout(look, 1)
  })
  await work()
  isOver = true
  await ended
  return longest
}
