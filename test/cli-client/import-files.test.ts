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

describe('import inspect', () => {
  it('turns a log into a dataset, a run with the calls of each sample, and scores', async () => {
    const file = join(FIXTURES, 'inspect/capitals.json')
    const { report, printed, client, componentId } = await checkImport(app, ['inspect', file])
    expect(printed).not.toContain(SECRET)
    expect(report.counts).toMatchObject({
      datasets: { created: 1 },
      items: { created: 3 },
      runs: { created: 1 },
      traces: { created: 3 },
      scores: { source: 6, created: 3, notTaken: 3 },
    })
    expect(report.notTaken).toContainEqual({
      of: 'scores',
      what: 'length_score',
      reason: 'a score must be between 0 and 1',
      count: 3,
    })
    const [run] = await client.list(`/components/${componentId}/runs`)
    const traces = await client.list(`/components/${componentId}/runs/${run?.['id']}/traces`)
    const { body } = await client.get(`/traces/${traces.find(({ totalTokens }) => totalTokens === 30)?.['id']}`)
    expect(body).toMatchObject({ name: 'capitals', input: 'What is 1 + 1?', output: 'It is 3.' })
    // A list of objects, as the description of the API has it.
    const spans = body['spans'] as Record<string, unknown>[]
    expect(spans.map(({ name, kind, parentSpanId }) => `${name} (${kind}) in ${nameOf(spans, parentSpanId)}`)).toEqual([
      'capitals (chain) in undefined',
      'solvers (chain) in capitals',
      'system_message (chain) in solvers',
      'use_tools (chain) in solvers',
      'generate (chain) in solvers',
      'mockllm/model (llm) in generate',
      'add (tool) in generate',
      'mockllm/model (llm) in generate',
      'scorers (evaluator) in capitals',
      'includes (evaluator) in scorers',
      'length_score (evaluator) in scorers',
    ])
    expect(spans[7]).toMatchObject({
      provider: 'mockllm',
      inputTokens: 12,
      outputTokens: 3,
      messages: [
        { role: 'system' },
        { role: 'user' },
        { role: 'assistant', parts: [{ type: 'text' }, { type: 'tool_call', name: 'add', arguments: { x: 1, y: 1 } }] },
        { role: 'tool', parts: [{ result: '2' }] },
        { role: 'assistant', parts: [{ text: 'It is 3.' }] },
      ],
    })
  })
})

function nameOf(spans: Record<string, unknown>[], spanId: unknown): unknown {
  return spans.find((span) => span['spanId'] === spanId)?.['name']
}
