/** Imports of files of other tools, each by the command against one server. The fixtures were written by the tools themselves. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkImport } from '../harness/check-import.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

const FIXTURES = join(import.meta.dirname, 'import-fixtures')
/** In the settings of a provider in the fixtures. */
const SECRET = 'sk-planted-secret-0123456789'

let app: TestApp
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-import-'))
  app = await startTestApp(`file:${folder}/server.db`)
})

afterAll(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('import promptfoo', () => {
  it('turns a config and its results into one dataset, a run per column, and scores', async () => {
    const files = ['capitals.yaml', 'capitals-results.json'].map((file) => join(FIXTURES, 'promptfoo', file))
    const { report, printed, client, componentId } = await checkImport(app, ['promptfoo', ...files])
    expect(printed).not.toContain(SECRET)
    expect(report.counts).toMatchObject({
      datasets: { created: 1 },
      items: { source: 6, created: 3, alreadyThere: 3 },
      runs: { created: 2 },
      traces: { created: 6 },
    })
    expect(report.notTaken).toContainEqual({
      of: 'other',
      what: 'assertion javascript',
      reason: 'it runs code of your own: deliver its results as external scores',
      count: 2,
    })
    expect(report.suggestedEvaluators).toContainEqual({ type: 'latency', maxMs: 5000 })
    const [run] = await client.list(`/components/${componentId}/runs`)
    expect(run).toMatchObject({ name: 'echo-two, polite (eval-VRU-2026-11-17T11:24:29)', traceCount: 3 })
    const { body } = await client.get(`/components/${componentId}/runs/${run?.['id']}/cases?q=Peru`)
    expect(body).toMatchObject({
      data: [{ expected: 'Lima', input: 'What is the capital of Peru?' }],
    })
  })
})
