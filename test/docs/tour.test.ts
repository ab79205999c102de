import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { paste, SHELLS } from '../harness/shell.ts'
import { blocksOf, filledIn } from './documents.ts'

const tour = [...blocksOf('tutorial', 'setup'), ...blocksOf('tutorial', 'tour')]

describeEachEngine('the API tour of the tutorial', (app) => {
  it.each(SHELLS)('works word for word in %s', async (shell) => {
    const { key } = await app().newWorkspace()
    const { output, errors } = await paste(shell, filledIn(tour, app().url, [key]))
    expect(errors).toBe('')
    const responses = output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    expect(responses.filter((response) => 'error' in response && response.error !== null)).toEqual([])
    const evaluation = responses.find((response) => 'progress' in response)
    expect(evaluation).toMatchObject({ status: 'completed', progress: { total: 4, done: 4, failed: 0, skipped: 0 } })
    const [metric] = evaluation.results.metrics
    expect(metric.mean).toBe(0.75)
    expect(metric.ci.map((end: number) => end.toFixed(2))).toEqual(['0.30', '0.95'])
    expect(responses.at(-1)).toEqual({ data: [] })
  })
})

const firstTrace = [...blocksOf('readme', 'first-trace'), ...blocksOf('instrumentation', 'instrumentation')]

describeEachEngine('an invalid key', (app) => {
  const pasted = { 'the first trace': firstTrace, 'the tour': tour }
  const cases = Object.entries(pasted).flatMap(([name, blocks]) =>
    SHELLS.map((shell) => [name, shell, blocks] as const),
  )

  it.each(cases)('in %s is reported in %s, and no request is sent with an empty id', async (_, shell, blocks) => {
    // The placeholder is not replaced: the most frequent invalid key.
    const { output, errors } = await paste(shell, filledIn(blocks, app().url, []))
    expect(errors).toMatch(/^curl: \(22\) The requested URL returned error: 401\n\{"error":".*key.*"\}\n/)
    expect(output + errors).not.toMatch(/not found|illegal|rejected|missing URL/i)
  })
})

describe('an address other than the default', () => {
  const exportLine = 'export TOUCHSTONE=http://127.0.0.1:3000 TOUCHSTONE_API_KEY="tsk_…"'

  it.each([
    ['readme', 'first-trace', [exportLine]],
    ['readme', 'comparison', []],
    ['instrumentation', 'instrumentation', []],
    ['tutorial', 'setup', [exportLine]],
    ['tutorial', 'tour', []],
    ['tutorial', 'chain', []],
  ] as const)('is edited once, in the line that the server prints: %s, %s', (document, section, expected) => {
    const lines = blocksOf(document, section).join('').split('\n')
    expect(lines.filter((line) => line.includes('127.0.0.1'))).toEqual(expected)
  })
})
