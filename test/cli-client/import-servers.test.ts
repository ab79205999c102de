// @module-tag deep
/** Imports from servers of other tools, each by the command against one Touchstone server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkImport, PLANTED_SECRET } from '../harness/check-import.ts'
import { touchstone } from '../harness/cli-in-process.ts'
import { casesOf, commentsOn, created, spansOf } from '../harness/imported.ts'
import type { JsonServer } from '../harness/json-server.ts'
import { startRecordedMlflow } from '../harness/recorded-mlflow.ts'
import { startRecordedPhoenix } from '../harness/recorded-phoenix.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

/** The key of every source, which `checkImport` looks for. The sources repeat it in the text of their errors. */
const SECRET = PLANTED_SECRET

let app: TestApp
let folder: string
const sources: JsonServer[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-import-'))
  app = await startTestApp(`file:${folder}/server.db`)
})

afterAll(async () => {
  for (const source of sources) await source.close()
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function started(source: Promise<JsonServer>): Promise<JsonServer> {
  sources.push(await source)
  return source
}

describe('import phoenix', () => {
  it('takes datasets, experiments, traces, scores and annotations, and lists the rest', async () => {
    const phoenix = await started(startRecordedPhoenix(SECRET))
    const environment = { PHOENIX_API_KEY: SECRET }
    const { report, client, componentId } = await checkImport(app, ['phoenix', phoenix.url], environment)
    expect(created(report)).toEqual({
      components: 1,
      datasets: 2,
      items: 4,
      runs: 3,
      traces: 10,
      scores: 8,
      annotations: 0,
      comments: 2,
      other: 0,
    })
    expect(report.notTaken).toEqual([
      { of: 'scores', what: 'stars', reason: 'a score must be between 0 and 1', count: 1 },
      {
        of: 'traces',
        what: 'Evaluation: correct',
        reason: 'it is a call of an evaluator; `--project` with the name of its project imports it',
        count: 1,
      },
      {
        of: 'annotations',
        what: 'annotation satisfied of the session session-0',
        reason: 'Touchstone has no annotations of sessions',
        count: 1,
      },
      {
        of: 'other',
        what: 'prompt refund-answer',
        reason: 'prompts are not imported; save them with `touchstone prompts push`',
        count: 1,
      },
    ])
    const { body: trace } = await client.get('/traces/84dfb6b8bd2b2ba7bc93f84deec683ab')
    expect(trace).toMatchObject({
      name: 'answer question',
      // Its tool failed, and it answered all the same.
      status: 'ok',
      sessionId: 'session-1',
      userId: 'user-3',
      tags: ['beta', 'support'],
      totalTokens: 48,
      input: 'What is the refund period for plan 3?',
      output: '17 days.',
    })
    expect(spansOf(trace)).toEqual([
      'chain answer question: ok',
      'retriever search: ok',
      'llm ChatCompletion: ok',
      'tool send_mail: error, mail server did not respond',
    ])
    expect(await commentsOn(client, '84dfb6b8bd2b2ba7bc93f84deec683ab')).toEqual([
      expect.stringMatching(/^resolved: no\nThe mail was not sent\n\(human, Phoenix, 2026-/),
    ])
    expect(await casesOf(client, componentId, 'second prompt')).toEqual([
      'What is the refund period for plan 0? → 14 days., 14 days. (correct 1, 1)',
      'What is the refund period for plan 4? → null, null (correct 0, 0)',
    ])
    // An attempt that failed and was repeated: a trace of the experiment, but of no run.
    expect(await client.list('/traces?q=name:"Task: task2" status:error&limit=100')).toHaveLength(3)
    // An experiment with the name of another, and without traces.
    expect(await casesOf(client, componentId, 'first prompt (RXhwZXJpbWVudDoz)')).toEqual([
      'What is the refund period for plan 0? → 14 days. ()',
    ])
  })

  it('continues when Phoenix is unavailable for a moment, and names the cause if it stays so', async () => {
    const phoenix = await started(startRecordedPhoenix(SECRET))
    const { key } = await app.newWorkspace()
    const run = (secret: string, ...extra: string[]) =>
      touchstone(['import', 'phoenix', phoenix.url, '--component', 'Bot', '--dry-run', '--debug', ...extra], {
        url: app.url,
        key,
        environment: { PHOENIX_API_KEY: secret },
      })
    phoenix.failNext(503, 2)
    const results = [await run(SECRET)]
    phoenix.failNext(500, 5)
    results.push(await run(SECRET))
    results.push(await run(`${SECRET}-wrong`))
    results.push(await run(SECRET, '--project', 'missing'))
    expect(results.map(({ code }) => code)).toEqual([0, 5, 3, 4])
    expect(results.map(({ errors }) => errors)).toEqual([
      expect.stringContaining('Dry run: nothing was sent.'),
      expect.stringContaining('Phoenix responded with status 500 to /v1/projects.'),
      expect.stringContaining('Phoenix rejected the key (status 401 of /v1/projects). Set PHOENIX_API_KEY.'),
      expect.stringContaining('Phoenix has no project "missing". It has evaluators, support-bot, default.'),
    ])
    expect(JSON.stringify(results)).not.toContain(SECRET)
  })

  it('takes only the dataset or the project that was named', async () => {
    const phoenix = await started(startRecordedPhoenix(SECRET))
    const { key } = await app.newWorkspace()
    const counts = async (...limits: string[]) => {
      const args = ['import', 'phoenix', phoenix.url, '--component', 'Bot', '--dry-run', '--json', ...limits]
      const { output } = await touchstone(args, { url: app.url, key, environment: { PHOENIX_API_KEY: SECRET } })
      return created(JSON.parse(output))
    }
    expect(await counts('--dataset', 'Greetings')).toEqual({ components: 1, datasets: 1, items: 2 })
    expect(await counts('--project', 'evaluators')).toEqual({ components: 1, traces: 1 })
  })
})

describe('import mlflow', () => {
  it('takes datasets, evaluation runs, traces, scores and assessments, and lists the rest', async () => {
    const mlflow = await started(startRecordedMlflow(`Bearer ${SECRET}`))
    const environment = { MLFLOW_TRACKING_TOKEN: SECRET }
    const { report, client, componentId } = await checkImport(app, ['mlflow', mlflow.url], environment)
    expect(created(report)).toEqual({
      components: 1,
      datasets: 2,
      items: 4,
      runs: 3,
      traces: 9,
      scores: 8,
      annotations: 1,
      comments: 1,
    })
    const failed = { of: 'scores', reason: 'the scorer failed: cannot score', count: 2 }
    expect(report.notTaken).toEqual([
      { ...failed, what: 'assessment broken in greeting' },
      { ...failed, what: expect.stringMatching(/^assessment broken in greeting \(\w{32}\)$/) },
      {
        of: 'runs',
        what: 'runs of the experiment greeter',
        reason: 'they have no traces of an evaluation',
        count: 1,
      },
    ])
    const { body: trace } = await client.get('/traces/6121b40ee3377e172cfd1dd8dd147936')
    expect(trace).toMatchObject({
      status: 'error',
      sessionId: 'session-0',
      userId: 'user-4',
      totalTokens: 45,
      totalCostUsd: 0.000009,
      input: 'What is the refund period for plan 4?',
    })
    expect(spansOf(trace)).toEqual([
      'agent answer question: error, RuntimeError: no answer',
      'retriever search: ok',
      'llm chat: ok',
      'tool send_mail: ok',
    ])
    const rated = '/traces/c62a700afc3cccba9e653325c2c72c9c'
    expect((await client.get(`${rated}/annotation`)).body).toMatchObject({ rating: null, correctedOutput: '14 days.' })
    expect(await commentsOn(client, 'c62a700afc3cccba9e653325c2c72c9c')).toEqual([
      expect.stringMatching(/^helpful: true\nRight and short\n\(human alice, MLflow, 2026-/),
    ])
    // The first on a dataset of MLflow, the second on a list of the program.
    expect(await casesOf(client, componentId, 'respected-hare-290')).toContain(
      'What is the refund period for plan 0? → 14 days. (correct 1; length 0.8)',
    )
    expect(await casesOf(client, componentId, 'greeting')).toEqual([
      'Ada → Hello Ada (polite 0)',
      'Bob → Hello Bob (polite 0)',
    ])
  })

  it('accepts a user name and a password, as the clients of MLflow do', async () => {
    const credentials = Buffer.from(`ada:${SECRET}`).toString('base64')
    const mlflow = await started(startRecordedMlflow(`Basic ${credentials}`))
    const { key } = await app.newWorkspace()
    const environment = { MLFLOW_TRACKING_USERNAME: 'ada', MLFLOW_TRACKING_PASSWORD: SECRET }
    const args = [
      'import',
      'mlflow',
      mlflow.url,
      '--component',
      'Bot',
      '--experiment',
      'greeter',
      '--dry-run',
      '--json',
    ]
    const { output } = await touchstone(args, { url: app.url, key, environment })
    expect(created(JSON.parse(output))).toMatchObject({ runs: 2, traces: 5 })
  })
})
