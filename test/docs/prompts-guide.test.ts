import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { paste, SHELLS } from '../harness/shell.ts'
import { blocksOf, filledIn } from './documents.ts'

describeEachEngine('the guide to prompts', (app) => {
  it.each(SHELLS)('works word for word in %s', async (shell) => {
    const { key } = await app().newWorkspace()
    const { output, errors } = await paste(shell, filledIn(blocksOf('prompts', 'prompts'), app().url, [key]))
    expect(errors).toBe('')
    const responses = output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    const [, , diff, moved, served, rolledBack, history] = responses
    expect(diff.messages[0].hunks.at(-1)).toEqual({ change: 'added', text: ' Ask for the invoice number first.' })
    expect(moved).toMatchObject({ change: 2, splits: [{ weight: 90 }, { weight: 10 }] })
    expect(served.splits[1].version.number).toBe(2)
    expect(rolledBack.splits).toEqual([{ version: 1, weight: 100 }])
    expect(history.data).toHaveLength(3)
  })
})
