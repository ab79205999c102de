// @module-tag deep
/** Imports from servers of other tools, each by the command against one Touchstone server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImportReport } from '../../packages/cli/src/import/import-report.ts'
import { checkImport, PLANTED_SECRET } from '../harness/check-import.ts'
import { touchstone } from '../harness/cli-in-process.ts'
import type { Client } from '../harness/client.ts'
import type { JsonServer } from '../harness/json-server.ts'
import { startRecordedMlflow } from '../harness/recorded-mlflow.ts'
import { startRecordedPhoenix } from '../harness/recorded-phoenix.ts'
import { startLangfuse } from '../harness/simulated-langfuse.ts'
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

describe.each([3, 4] as const)('import langfuse, version %i', (version) => {
  it('takes datasets, runs, traces, scores, comments and prompts, and lists the rest', async () => {
    const langfuse = await started(startLangfuse(version, { publicKey: 'pk-lf-1', secretKey: SECRET }))
    const environment = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: SECRET }
    const { report, client, componentId } = await checkImport(app, ['langfuse', langfuse.url], environment)
    expect(created(report)).toEqual({
      components: 1,
      datasets: version === 3 ? 2 : 3,
      items: version === 3 ? 2 : 3,
      runs: version === 3 ? 1 : 2,
      traces: 5,
      scores: 2,
      annotations: 1,
      comments: 4,
      prompts: 3,
      versions: 3,
      labels: 4,
      other: 0,
    })
    const run = version === 3 ? 'run' : 'experiment'
    const onlyTraces = { of: 'scores', reason: 'Touchstone has scores of traces only', count: 1 }
    expect(report.notTaken).toEqual([
      { of: 'items', what: 'Capitals: item-3', reason: 'it is archived', count: 1 },
      { ...onlyTraces, what: 'score satisfied of session session-1' },
      { ...onlyTraces, what: `score accuracy of ${run} run-1` },
      {
        of: 'comments',
        what: 'comment on prompt prompt-1',
        reason: 'Touchstone has comments on traces and spans only',
        count: 1,
      },
      {
        of: 'other',
        what: 'config of team/capital: version 2: supported_languages',
        reason: 'these are no settings of a model',
        count: 1,
      },
      {
        of: 'versions',
        what: 'team/capital: version 5',
        reason: 'it has logic, which prompts do not have: {{#country}}',
        count: 1,
      },
      { of: 'labels', what: 'team/capital: latest', reason: 'Langfuse version 5 was not taken', count: 1 },
      {
        of: 'labels',
        what: 'team/capital: -odd',
        reason: 'a label begins with a lower-case letter or a digit',
        count: 1,
      },
      {
        of: 'other',
        what: 'name of the prompt Film Kritik',
        reason: 'its name is Film-Kritik here: names have letters, digits and . _ / -',
        count: 1,
      },
      {
        of: 'other',
        what: 'included prompts of Film-Kritik: version 3',
        reason: 'their texts are inserted as they are now',
        count: 1,
      },
      {
        of: 'versions',
        what: 'tools: version 1',
        reason: 'it has a message with the role tool; roles are system, developer, user, assistant',
        count: 1,
      },
      { of: 'labels', what: 'tools: latest', reason: 'Langfuse version 1 was not taken', count: 1 },
    ])
    expect(report.counts.versions).toEqual({ source: 6, created: 3, alreadyThere: 1, notTaken: 2 })
    const prompts = await client.list(`/components/${componentId}/prompts`)
    expect(prompts.map(({ name, description }) => [name, description])).toEqual([
      ['tools', null],
      ['Film-Kritik', 'Film Kritik. Tags: movies'],
      ['team/capital', null],
    ])
    const served = async (name: string, label: string) => {
      const path = `/components/${componentId}/served-prompts/${encodeURIComponent(name)}?label=${label}`
      return Object((await client.get(path)).body['splits'])[0].version
    }
    expect(await served('team/capital', 'production')).toMatchObject({ number: 1, note: 'first' })
    expect(await served('team/capital', 'staging')).toMatchObject({
      number: 2,
      note: null,
      variables: ['format', 'country'],
      placeholders: ['history'],
      content: {
        model: 'gpt-5-mini',
        parameters: { temperature: 0.2 },
        tools: [{ function: { name: 'look_up' } }],
        responseFormat: { type: 'json_object' },
      },
    })
    expect(await served('Film-Kritik', 'latest')).toMatchObject({ number: 1, note: 'Langfuse version 3' })
    const { body: trace } = await client.get('/traces/5b8efff798038103d269b633813fc60c')
    expect(trace).toMatchObject({
      name: 'answer question',
      sessionId: 'session-1',
      userId: 'ada',
      tags: ['beta', 'support'],
      totalTokens: 45,
      totalCostUsd: 0.000009,
      durationMs: 3000,
      input: 'How long is the refund period?',
      output: '14 days.',
      metadata: { 'langfuse.observation.metadata.note': 'note '.repeat(60) },
    })
    expect(spansOf(trace)).toEqual([
      'agent answer question: ok',
      'llm chat: ok',
      'tool send_mail: error, mail server did not respond',
    ])
    // The server reports zero tokens for what is no call of a model: they are not known, which is not zero.
    expect(trace['spans']).toMatchObject([{ inputTokens: null, totalTokens: null }, { inputTokens: 40 }, {}])
    expect(await commentsOn(client, '5b8efff798038103d269b633813fc60c')).toEqual([
      'helpful: 0.9\nshort\n(API, Langfuse, 2026-03-03T09:00:00.000Z)',
      'tone: friendly\n(human, Langfuse, 2026-03-03T09:00:00.000Z)',
      'Ask the legal team\n(grace, Langfuse, 2026-03-03T10:00:00.000Z)',
      'Retry this\n(grace, Langfuse, 2026-03-03T10:00:00.000Z)',
    ])
    expect((await client.get('/traces/5b8efff798038103d269b633813fc60c/annotation')).body).toMatchObject({
      correctedOutput: '30 days.',
    })
    // In version 3 a trace has an input and an output of its own, above several observations.
    const { body: old } = await client.get('/traces/3c3f1f1e6f4b4e0e9f8a0f7c4f7c2b11')
    expect(spansOf(old)).toEqual([...(version === 3 ? ['span old chat: ok'] : []), 'span first: ok', 'span second: ok'])
    expect(old).toMatchObject({ name: 'old chat', ...(version === 3 && { input: 'Hello', output: 'Hi!' }) })
    expect(await casesOf(client, componentId, 'first prompt')).toEqual([
      'France → Paris (correct 1)',
      'Peru → Quito (correct 0)',
    ])
    // An experiment on data of the program, which only version 4 has.
    if (version === 4) expect(await casesOf(client, componentId, 'local')).toEqual(['Chad → N’Djamena ()'])
  })
})

it.each([
  ['/api/public/v2/observations', 501, 'self-hosted servers of version 3 have the path and do not implement it'],
  ['/api/public/v3/scores', 404, 'the cloud had observations of version 4 before its scores'],
  ['/api/public/experiments', 404, 'the cloud had observations of version 4 before its experiments'],
])('import langfuse uses version 3 if %s responds with %i: %s', async (path, status) => {
  const langfuse = await started(startLangfuse('between', { publicKey: 'pk-lf-1', secretKey: SECRET }))
  langfuse.failOn(path, status)
  const { key } = await app.newWorkspace()
  const environment = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: SECRET }
  const args = ['import', 'langfuse', langfuse.url, '--component', 'Bot', '--dry-run', '--json']
  const { output } = await touchstone(args, { url: app.url, key, environment })
  expect(created(JSON.parse(output))).toMatchObject({ datasets: 2, runs: 1, traces: 5, scores: 2 })
  expect(langfuse.requests.filter((request) => request === `GET ${path}`)).toHaveLength(1)
})

it('import langfuse reports which keys to set, before it sends anything', async () => {
  const { key } = await app.newWorkspace()
  const args = ['import', 'langfuse', 'https://langfuse.example.com', '--component', 'Bot', '--dry-run']
  expect(await touchstone(args, { url: app.url, key })).toMatchObject({
    code: 3,
    errors: expect.stringContaining('Set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY to the keys of the project.'),
  })
})

function created({ counts }: ImportReport): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([kind, { created }]) => [kind, created]))
}

type Span = { kind: string; name: string; status: string; statusMessage: string | null }

function spansOf({ spans }: Record<string, unknown>): string[] {
  // The API describes them so.
  return (spans as Span[]).map(
    ({ kind, name, status, statusMessage }) => `${kind} ${name}: ${status}${statusMessage ? `, ${statusMessage}` : ''}`,
  )
}

async function commentsOn(client: Client, traceId: string): Promise<string[]> {
  const comments = await client.list(`/traces/${traceId}/comments`)
  return comments.map(({ text }) => String(text))
}

type Row = { input: string; cases: { output: string | null; scores: { evaluator: string; score: number }[] }[] }

/** The cases of a run, by their input: outputs and scores of all repetitions. */
async function casesOf(client: Client, componentId: string, name: string): Promise<string[]> {
  const runs = await client.list(`/components/${componentId}/runs?limit=100`)
  const id = runs.find((run) => run['name'] === name)?.['id']
  const { body } = await client.get(`/components/${componentId}/runs/${id}/cases`)
  // The API describes them so.
  const rows = body['data'] as Row[]
  return rows.map(({ input, cases }) => {
    const scores = Map.groupBy(
      cases.flatMap((one) => one.scores),
      ({ evaluator }) => evaluator,
    )
    const listed = [...scores].map(([evaluator, all]) => `${evaluator} ${all.map(({ score }) => score).join(', ')}`)
    return `${input} → ${cases.map(({ output }) => String(output)).join(', ')} (${listed.join('; ')})`
  })
}
