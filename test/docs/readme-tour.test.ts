import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { paste, SHELLS } from '../harness/shell.ts'
import { filledIn, readmeBlocks } from './readme.ts'

describeEachEngine('the tour of the README', (app) => {
  it.each(SHELLS)('works word for word in %s', async (shell) => {
    const { key } = await app().newWorkspace()
    const { output, errors } = await paste(shell, filledIn(readmeBlocks('tour'), app().url, [key]))
    expect(errors).toBe('')
    const answers = output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    expect(answers.filter((answer) => 'error' in answer && answer.error !== null)).toEqual([])
    const evaluation = answers.find((answer) => 'progress' in answer)
    expect(evaluation).toMatchObject({ status: 'completed', progress: { total: 4, done: 4, failed: 0, skipped: 0 } })
    const [metric] = evaluation.results.metrics
    expect(metric.mean).toBe(0.75)
    expect(metric.ci.map((end: number) => end.toFixed(2))).toEqual(['0.30', '0.95'])
    expect(answers.at(-1)).toEqual({ data: [] })
  })
})

describeEachEngine('a wrong key in the README', (app) => {
  const sections = ['first-trace', 'tour'] as const
  const cases = sections.flatMap((section) => SHELLS.map((shell) => [section, shell] as const))

  it.each(cases)('of %s is reported in %s, and nothing goes on with an empty id', async (section, shell) => {
    // The placeholder is left as it is, which is the most frequent of wrong keys.
    const { output, errors } = await paste(shell, filledIn(readmeBlocks(section), app().url, []))
    expect(errors).toMatch(/^curl: \(22\) The requested URL returned error: 401\n\{"error":".*key.*"\}\n/)
    expect(output + errors).not.toMatch(/not found|illegal|rejected|missing URL/i)
  })
})

describe('an address other than the default', () => {
  it.each(['first-trace', 'chain', 'tour'])('is edited once, in the line that the server prints: %s', (section) => {
    const lines = readmeBlocks(section).join('').split('\n')
    const withAddress = lines.filter((line) => line.includes('127.0.0.1'))
    const expected = section === 'chain' ? [] : ['export TOUCHSTONE=http://127.0.0.1:3000 TOUCHSTONE_API_KEY="tsk_…"']
    expect(withAddress).toEqual(expected)
  })
})
