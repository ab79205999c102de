import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../src/config.ts'
import { codeBlocks, type Document, sectionOf, textOf } from './documents.ts'

/** Every section whose commands a test of this folder, or of `test/python`, runs. */
const TESTED: Record<Document, readonly string[]> = {
  readme: ['first-trace', 'comparison'],
  operations: ['backup-sqlite', 'backup-postgres'],
  instrumentation: ['instrumentation'],
  tutorial: ['setup', 'tour', 'chain'],
  prompts: ['prompts'],
  endpoints: ['endpoints'],
  sdkPython: ['evaluate', 'client', 'prompts', 'traces', 'pytest'],
  sdkTypeScript: ['sdk-chain', 'sdk-vitest', 'sdk-traces', 'sdk-prompts', 'sdk-requests'],
  experiments: ['create', 'run'],
  trials: ['http', 'run', 'worker', 'worker-command', 'typescript', 'python'],
}

/** Started by every test run, or by the tests of the command line. */
const NOT_PASTED = ['npm ci && npm start\n', 'npm ci && npm test\n']

describe.each([
  'readme',
  'operations',
  'instrumentation',
  'tutorial',
  'prompts',
  'endpoints',
  'experiments',
  'trials',
  'sdkPython',
  'sdkTypeScript',
  'trials',
] as const)('the code blocks of the %s', (document) => {
  it.each(['sh', 'ts', 'python'] as const)('are all run by a test: %s', (language) => {
    const tested = TESTED[document].flatMap((section) => codeBlocks(sectionOf(document, section), language))
    const blocks = codeBlocks(textOf(document), language)
    expect(blocks.filter((block) => !NOT_PASTED.includes(block))).toEqual(tested)
  })
})

it('the guide to the settings lists every setting, and no other', () => {
  const rows = [...read('docs/guide/settings.md').matchAll(/^\| (`[A-Z].*?) \| /gm)].flatMap(([, names = '']) =>
    names.split(', '),
  )
  const listed = rows.map((name) => name.replaceAll('`', ''))
  expect(listed.sort()).toEqual([...SETTINGS, 'OPENAI_API_KEY', 'OPENAI_BASE_URL'].sort())
})

describe('the JSON examples of the guides', () => {
  const fields = fieldNames(JSON.parse(read('openapi.json')))

  /** The description leaves the configuration and the results of evaluations open. */
  const open: Record<string, string[]> = { evaluations: ['evaluators', 'instructions', 'meta'] }

  it.each(['accounts', 'annotations', 'comparisons', 'connections', 'evaluations', 'limits', 'statistics'])(
    'have only fields of the API: %s',
    (guide) => {
      const blocks = [...read(`docs/guide/${guide}.md`).matchAll(/```(?:json|http)\n(.*?)```/gs)].map(
        ([block]) => block,
      )
      const shown = blocks.flatMap((block) => [...block.matchAll(/"(\w+)":/g)].map(([, name = '']) => name))
      expect(shown.length).toBeGreaterThan(0)
      expect(shown.filter((name) => !fields.has(name) && !open[guide]?.includes(name))).toEqual([])
    },
  )
})

/** The names of all properties in a JSON Schema, at any depth. */
function fieldNames(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set()
  const own = 'properties' in schema ? Object.keys(Object(schema.properties)) : []
  return new Set([...own, ...Object.values(schema).flatMap((inner) => [...fieldNames(inner)])])
}

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}
