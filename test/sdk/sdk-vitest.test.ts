// @module-tag deep
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { evaluate, Touchstone } from '../../packages/sdk/src/sdk.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'

const ROOT = join(import.meta.dirname, '../..')
const MODULE = JSON.stringify(join(ROOT, 'packages/sdk/src/vitest/describe-evaluation.ts'))
const WORDS = Array.from({ length: 40 }, (_, n) => `word ${n}`)
const DATA = WORDS.map((input) => ({ input, expected: input.toUpperCase() }))

describeEachEngine('describeEvaluation', (app) => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(ROOT, 'node_modules/.sdk-vitest-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Runs Vitest on one file, as a user does, and returns what it reports. */
  async function runTests(source: string, { key }: { key: string }) {
    writeFileSync(
      join(folder, 'shout.test.ts'),
      `import { expect } from 'vitest'
       import { describeEvaluation } from ${MODULE}
       const shout = (text) => text.toUpperCase()
       const data = ${JSON.stringify(DATA)}
       ${source}`,
    )
    writeFileSync(join(folder, 'vitest.config.ts'), 'export default {}')
    const report = join(folder, 'report.json')
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    const words = [vitest, 'run', '--root', folder, '--reporter=json', `--outputFile=${report}`]
    const env = { PATH: process.env['PATH'], TOUCHSTONE_URL: app().url, TOUCHSTONE_API_KEY: key }
    const ended = await new Promise<{ code: unknown; output: string }>((resolve) =>
      execFile(process.execPath, words, { env, cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      ),
    )
    const text = readFileSync(report, 'utf8')
    const tests: ReportedTest[] = JSON.parse(text).testResults[0].assertionResults
    return { code: ended.code, output: ended.output + text, tests }
  }

  it('has a test for each item, and fails those whose check fails', async () => {
    const { client, key } = await seed(app())
    const { code, tests } = await runTests(
      `describeEvaluation('Shouting', {
        component: 'Shouter', dataset: 'Words', data: data.slice(0, 3),
        task: ({ input }) => (input === 'word 1' ? input : shout(input)),
        check: ({ output, expected }) => expect(output).toBe(expected),
      })`,
      { key },
    )
    expect(tests.map(({ title, status }) => [title, status])).toEqual(
      expect.arrayContaining([
        ['word 0', 'passed'],
        ['word 1', 'failed'],
        ['word 2', 'passed'],
      ]),
    )
    expect(tests.find(({ title }) => title === 'word 1')?.failureMessages[0]).toContain('check: expected')
    expect(code).toBe(1)
    const [component] = await client.components.list().toArray()
    expect(await client.runs.list(String(component?.id)).toArray()).toMatchObject([{ name: 'Shouting', traceCount: 3 }])
  })

  it('fails by its gate with the verdict, and not by single cases', async () => {
    const { client, key } = await seed(app())
    const all = { client, component: 'Shouter', dataset: 'Words', evaluators: ['exactMatch'] }
    await evaluate({ ...all, data: DATA, name: 'main', task: ({ input }) => String(input).toUpperCase() })
    const gated = (task: string) => `
      describeEvaluation('Shouting', {
        component: 'Shouter', dataset: 'Words', evaluators: ['exactMatch'], task: ${task},
        baseline: 'main', gate: { metric: 'exactMatch', margin: 0.1 },
      })`
    const worse = await runTests(gated("({ input }) => (input.endsWith('1') ? 'oh' : input)"), { key })
    const failed = worse.tests.filter(({ status }) => status === 'failed')
    expect(failed.map(({ title }) => title)).toEqual(['passes the gate'])
    expect(failed[0]?.failureMessages[0]).toContain('exactMatch')
    expect(failed[0]?.failureMessages[0]).toContain('/evaluations/')
    expect(worse.tests).toHaveLength(WORDS.length + 1)
    expect(worse.code).toBe(1)
    const same = await runTests(gated('({ input }) => shout(input)'), { key })
    expect(same.tests.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(same.code).toBe(0)
  })

  it('fails the test run if the items cannot be loaded', async () => {
    const { code, output } = await runTests(
      `describeEvaluation('Shouting', { component: 'Shouter', dataset: 'Words', task: () => '' })`,
      { key: 'tsk_wrong' },
    )
    expect(code).toBe(1)
    expect(output).toContain('API key')
    expect(output).not.toContain('tsk_wrong')
  })
})

type ReportedTest = { title: string; status: string; failureMessages: string[] }

async function seed(app: TestApp) {
  const { key } = await app.newWorkspace()
  const client = new Touchstone({ apiKey: key, baseUrl: app.url })
  await client.components.create({ name: 'Shouter' })
  return { client, key }
}
