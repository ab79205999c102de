import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../src/config.ts'
import { codeBlocks, type Document, sectionOf, textOf } from './documents.ts'

/** Every section whose commands a test of this folder runs. */
const TESTED: Record<Document, readonly string[]> = {
  readme: ['first-trace', 'comparison'],
  instrumentation: ['instrumentation'],
  tutorial: ['setup', 'tour', 'chain'],
}

/** Started by every test run, or by the tests of the command line. */
const NOT_PASTED = ['npm ci && npm start\n', 'npm ci && npm test\n']

describe.each(['readme', 'instrumentation', 'tutorial'] as const)('the code blocks of the %s', (document) => {
  it.each(['sh', 'ts', 'python'] as const)('are all run by a test: %s', (language) => {
    const tested = TESTED[document].flatMap((section) => codeBlocks(sectionOf(document, section), language))
    const blocks = codeBlocks(textOf(document), language)
    expect(blocks.filter((block) => !NOT_PASTED.includes(block))).toEqual(tested)
  })
})

it('the guide to the settings lists every setting, and no other', () => {
  const guide = readFileSync(new URL('../../docs/guide/settings.md', import.meta.url), 'utf8')
  const rows = [...guide.matchAll(/^\| (`[A-Z].*?) \| /gm)].flatMap(([, names = '']) => names.split(', '))
  const listed = rows.map((name) => name.replaceAll('`', ''))
  expect(listed.sort()).toEqual([...SETTINGS, 'OPENAI_API_KEY', 'OPENAI_BASE_URL'].sort())
})
