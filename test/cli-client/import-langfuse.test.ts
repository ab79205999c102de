// @module-tag deep
/** Imports from Langfuse, by the command. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkImport, PLANTED_SECRET } from '../harness/check-import.ts'
import { touchstone } from '../harness/cli-in-process.ts'
import { casesOf, commentsOn, created, spansOf } from '../harness/imported.ts'
import type { JsonServer } from '../harness/json-server.ts'
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
