import { afterEach, describe, expect, it } from 'vitest'
import { chooseModels } from '../../src/connections/default-model.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { evaluated, JUDGE, QUICK, seedOutputs, until } from './evaluating.ts'

describe('a server with OPENAI_BASE_URL and no TOUCHSTONE_DEFAULT_MODEL', () => {
  let app: TestApp | undefined
  let database: TestDatabase | undefined
  let model: ModelServer | undefined
  afterEach(async () => {
    await app?.close()
    await model?.close()
    database?.remove()
  })

  async function startWith(given: ModelServer): Promise<{ app: TestApp; logged: string[] }> {
    model = given
    database = await createTestDatabase('sqlite', 'migrated')
    const { log, logged } = collectingLog('info')
    app = await startTestApp(database.url, { ...QUICK, log, environment: { OPENAI_BASE_URL: given.baseUrl } })
    return { app, logged }
  }

  it('lists the models of the provider once, reports which one it uses, and judges with it', async () => {
    const given = await startModelServer()
    const started = await startWith(given)
    await until(() => expect(started.logged.join()).toContain('judge-1'))
    const seeded = await seedOutputs(started.app, 3)
    const body = await evaluated(seeded, { datasetId: seeded.datasetId, config: { evaluators: [JUDGE] } })
    expect(body).toMatchObject({ status: 'completed', progress: { total: 3, done: 3, failed: 0 } })
    expect(given.requests.filter(({ path }) => path.endsWith('/models'))).toHaveLength(1)
    expect(given.requests.at(-1)?.body.model).toBe('judge-1')
  })

  it('fails an evaluation at its start with one message that names the setting, if the provider lists none', async () => {
    const given = await startModelServer({
      misbehaviour: ({ path }) => (path.endsWith('/models') ? { body: '{"data":[]}' } : undefined),
    })
    const started = await startWith(given)
    await until(() => expect(started.logged.join()).toContain('TOUCHSTONE_DEFAULT_MODEL'))
    const seeded = await seedOutputs(started.app, 3)
    const body = await evaluated(seeded, { datasetId: seeded.datasetId, config: { evaluators: [JUDGE] } })
    expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('TOUCHSTONE_DEFAULT_MODEL') })
    expect(given.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toHaveLength(0)
    const named = { evaluators: [{ ...JUDGE, model: 'judge-2' }] }
    expect(await evaluated(seeded, { datasetId: seeded.datasetId, config: named })).toMatchObject({
      status: 'completed',
    })
  })

  it('fails an evaluation at its start if its connection lists no models and no evaluator names one', async () => {
    const given = await startModelServer()
    const started = await startWith(given)
    const seeded = await seedOutputs(started.app, 3)
    await seeded.admin.create('/connections', { name: 'judges', baseUrl: given.baseUrl })
    const config = { evaluators: [JUDGE], provider: 'judges' }
    const body = await evaluated(seeded, { datasetId: seeded.datasetId, config })
    expect(body).toMatchObject({ status: 'failed', error: expect.stringMatching(/judges lists no models.*good/) })
    expect(
      (await seeded.client.post(`${seeded.at}?dry_run=true`, { datasetId: seeded.datasetId, config })).status,
    ).toBe(400)
  })
})

describe('the choice of a model', () => {
  it.each([
    [
      ['text-embedding-3-small', 'gpt-4o', 'gpt-4o-mini', 'whisper-1'],
      ['gpt-4o-mini', 'text-embedding-3-small'],
    ],
    [['dall-e-3', 'gpt-4.1-nano', 'gpt-4.1'], ['gpt-4.1']],
    [['llama3.2:3b'], ['llama3.2:3b']],
    [
      ['nomic-embed-text', 'qwen3:8b', 'llama3.2'],
      ['qwen3:8b', 'nomic-embed-text'],
    ],
    [['text-embedding-3-small', 'tts-1'], []],
    [[], []],
  ])('of %j is %j', (names, chosen) => {
    expect(chooseModels(names)).toEqual(chosen)
  })
})
