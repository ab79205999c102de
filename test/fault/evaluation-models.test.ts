// @module-tag deep
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { judgeBySchema } from '../harness/model-answers.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { type ServerProcess, shortLeaseSource, startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { countDone, expectExact, JUDGE, OFFLINE, seedJudged, untilNoJobs, untilStatus } from './judged-cases.ts'

const CASES = 40
const REPETITIONS = 2
const CONCURRENCY = 4
const ASKED = { helpful: REPETITIONS, word: 1 }
const CONFIG = { evaluators: [JUDGE, OFFLINE], repetitions: REPETITIONS, concurrency: CONCURRENCY }
/** In soak tests more than a job has attempts: none of them is used up where there was progress. */
const KILLS = rounds({ test: 3, soak: 6 })
const ORDER = ['pending', 'running', 'completed']

describeEngines('an evaluation with a model', (engine) => {
  let models: ModelServer
  let database: TestDatabase
  let server: ServerProcess
  let storage: Storage
  /** How many questions the model still answers; those after them hang, so that a kill always meets some of them. */
  let answersLeft = Number.POSITIVE_INFINITY

  const start = () =>
    startServer(database.url, {
      source: shortLeaseSource({ serves: true, works: true }, 1),
      environment: { OPENAI_BASE_URL: models.baseUrl, TOUCHSTONE_DEFAULT_MODEL: 'judge-1' },
    })

  beforeAll(async () => {
    models = await startModelServer({
      answer: async (request) => {
        answersLeft -= 1
        return answersLeft >= 0 ? judgeBySchema(request) : new Promise(() => {})
      },
    })
    database = await createTestDatabase(engine, 'migrated')
    server = await start()
    storage = await openTestStorage(database.url, 'command')
  })
  afterAll(async () => {
    await server.kill()
    await storage.close()
    await models.close()
    database.remove()
  })

  it(`survives ${KILLS} kills of its worker, with every score made once`, async () => {
    const { path, datasetId } = await seedJudged(server.client, CASES)
    answersLeft = 3 * CONCURRENCY
    const id = await server.client.create(path, { datasetId, config: CONFIG })
    let status = 'pending'
    for (let round = 1; round <= KILLS; round += 1) {
      const before = await countDone(storage)
      await waitFor('progress, with a question under way', async () => {
        const { body } = await server.client.get(`${path}/${id}`)
        expect(ORDER.indexOf(String(body.status))).toBeGreaterThanOrEqual(ORDER.indexOf(status))
        status = String(body.status)
        return ((await countDone(storage)) > before + CONCURRENCY && models.socketsOpen > 0) || undefined
      })
      expect(status).toBe('running')
      await server.kill()
      answersLeft = round === KILLS ? Number.POSITIVE_INFINITY : 3 * CONCURRENCY
      server = await start()
    }
    await untilStatus(server.client, { path, id }, 'completed')
    const { results } = await expectExact(server.client, storage, {
      evaluation: { path, id },
      asked: ASKED,
      cases: CASES,
    })
    await untilNoJobs(storage)
    // What a killed worker had asked is asked again; what had been stored is not.
    const needed = CASES * REPETITIONS
    expect(results).toMatchObject({ cost: { calls: needed } })
    expect(models.requests.length).toBeGreaterThanOrEqual(needed)
    expect(models.requests.length).toBeLessThanOrEqual(needed + KILLS * CONCURRENCY)
    console.log(`${engine}: ${KILLS} kills, ${models.requests.length} questions for ${needed} scores`)
  })

  it('SIGTERM while a model does not respond: exits with 0, the attempt does not count, the next start completes it', async () => {
    const { path, datasetId } = await seedJudged(server.client, CONCURRENCY)
    const before = models.requests.length
    models.misbehave('hang', CONCURRENCY)
    const id = await server.client.create(path, { datasetId, config: CONFIG })
    await waitFor('the questions', async () => models.requests.length === before + CONCURRENCY || undefined)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, signal: null, errors: '' })
    const jobs = await storage.read.selectFrom('jobs').selectAll().execute()
    // Storing what needs no model was progress, which leaves the job with all of its attempts.
    expect(jobs).toMatchObject([
      { state: 'queued', attempts: 0, lease_owner: null, lease_until: null, last_error: null },
    ])

    server = await start()
    await untilStatus(server.client, { path, id }, 'completed')
    const { results } = await expectExact(server.client, storage, {
      evaluation: { path, id },
      asked: ASKED,
      cases: CONCURRENCY,
    })
    await untilNoJobs(storage)
    // Each was asked and may have to be paid for, also those that were never answered.
    const calls = CONCURRENCY + CONCURRENCY * REPETITIONS
    expect(results).toMatchObject({ cost: { calls } })
    expect(models.requests.length).toBe(before + calls)
  })
})
