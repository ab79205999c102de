// @module-tag deep
import { setTimeout as delay } from 'node:timers/promises'
import { Client as PostgresClient } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { judgeBySchema } from '../harness/model-answers.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { launch, type Program, shortLeaseSource, waitFor } from '../harness/server-process.ts'
import { type SeededWorkspace, startTestApp, type TestApp } from '../harness/test-app.ts'
import {
  expectExact,
  JUDGE,
  listScores,
  OFFLINE,
  seedJudged,
  slowJudge,
  untilNoJobs,
  untilStatus,
} from './judged-cases.ts'

const LEASE_SECONDS = 1
/** Longer than any machine keeps a worker waiting: no job changes hands. */
const UNDISTURBED = { leaseSeconds: 600, turnMs: 600_000 }
/** Of the model that the workers are configured with. */
const AT_ONCE = 4
const CUTS = 8
const TERMINATE_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

describe('workers on one PostgreSQL that ask a model', () => {
  let database: TestDatabase
  let app: TestApp
  let admin: PostgresClient
  let workspace: SeededWorkspace
  let models: ModelServer
  /** What the model does for as long as a test says so. */
  let answer = slowJudge(20)
  let workers: Program[] = []

  beforeAll(async () => {
    database = await createTestDatabase('postgres', 'migrated')
    app = await startTestApp(database.url, { works: false })
    admin = new PostgresClient({ connectionString: database.url })
    await admin.connect()
    workspace = await app.newWorkspace()
    models = await startModelServer({ answer: (request) => answer(request) })
  })

  beforeEach(() => {
    answer = slowJudge(20)
  })

  afterEach(async () => {
    for (const worker of workers) await worker.kill()
    workers = []
  })

  afterAll(async () => {
    await admin.end()
    await app.close()
    await models.close()
  })

  function startWorker({ leaseSeconds, ...times } = { leaseSeconds: LEASE_SECONDS }): Program {
    const worker = launch({
      source: shortLeaseSource({ serves: false, works: true }, leaseSeconds, { retryPauseMs: 10, ...times }),
      environment: {
        DATABASE_URL: database.url,
        OPENAI_BASE_URL: models.baseUrl,
        TOUCHSTONE_DEFAULT_MODEL: 'judge-1',
        TOUCHSTONE_LOG_LEVEL: 'error',
      },
    })
    workers.push(worker)
    return worker
  }

  it('late results of a worker that was suspended beyond its lease are rejected and change nothing', async () => {
    const { path, datasetId } = await seedJudged(workspace.client, AT_ONCE)
    const late = Promise.withResolvers<void>()
    answer = async () => {
      await late.promise
      return { score: 1, reason: 'late' }
    }
    const sleeper = startWorker()
    const id = await workspace.client.create(path, { datasetId, config: { evaluators: [JUDGE, OFFLINE] } })
    await waitFor('every question of the first worker', async () => models.requests.length === AT_ONCE || undefined)
    sleeper.signal('SIGSTOP')
    const stoppedAt = performance.now()
    // Its answers arrive, and wait for it to wake up.
    late.resolve()
    answer = async () => ({ score: 5, reason: 'in time' })
    const other = startWorker()
    await untilStatus(workspace.client, { path, id }, 'completed')
    console.log(
      `taken over and done ${Math.round(performance.now() - stoppedAt)} ms after the first worker was stopped`,
    )
    await untilNoJobs(app.storage)
    const known = () => app.storage.read.selectFrom('model_answers').selectAll().orderBy('hash').execute()
    const everything = async () => {
      const { text } = await workspace.client.get(`${path}/${id}`)
      return JSON.stringify([text, await listScores(app.storage, id), await known()])
    }
    const before = await everything()
    await other.kill()

    sleeper.signal('SIGCONT')
    // It is alive and well, and does the next one; had it stored what came late, that would be here by then.
    const next = await workspace.client.create(path, { datasetId, config: { evaluators: [OFFLINE] } })
    await untilStatus(workspace.client, { path, id: next }, 'completed')
    expect(await everything()).toBe(before)
    expect(before).toContain('in time')
    expect(before).not.toContain('late')
    await expectExact(workspace.client, app.storage, {
      evaluation: { path, id },
      asked: { helpful: 1, word: 1 },
      cases: AT_ONCE,
    })
    expect(sleeper.errors).toBe('')
  })

  it('two workers ask every question of many evaluations exactly once', async () => {
    const cases = 6
    const { path, datasetId } = await seedJudged(workspace.client, cases)
    const before = models.requests.length
    const config = { evaluators: [JUDGE, OFFLINE], repetitions: 2 }
    startWorker(UNDISTURBED)
    startWorker(UNDISTURBED)
    const ids = await Promise.all(
      Array.from({ length: 10 }, () => workspace.client.create(path, { datasetId, config })),
    )
    for (const id of ids) await untilStatus(workspace.client, { path, id }, 'completed')
    await untilNoJobs(app.storage)
    for (const id of ids) {
      const evaluation = { path, id }
      const { results } = await expectExact(workspace.client, app.storage, {
        evaluation,
        asked: { helpful: 2, word: 1 },
        cases,
      })
      expect(results).toMatchObject({ cost: { calls: cases * 2 } })
    }
    expect(models.requests.length - before).toBe(ids.length * cases * 2)
    expect(models.concurrentMax).toBeLessThanOrEqual(workers.length * AT_ONCE)
  })

  it('every connection to the database is cut again and again: all is completed, and every score is there once', async () => {
    const cases = 30
    const { path, datasetId } = await seedJudged(workspace.client, cases)
    answer = async (request) => judgeBySchema(request)
    const worker = startWorker()
    const config = { evaluators: [JUDGE, OFFLINE], repetitions: 2 }
    const ids = await Promise.all(Array.from({ length: 3 }, () => workspace.client.create(path, { datasetId, config })))
    const before = models.requests.length
    await waitFor('some questions', async () => models.requests.length > before + 10 || undefined)
    answer = slowJudge(20)
    for (let cut = 1; cut <= CUTS; cut += 1) {
      await admin.query(TERMINATE_OTHERS)
      await delay(150)
    }
    for (const id of ids) await untilStatus(workspace.client, { path, id }, 'completed')
    for (const id of ids) {
      await expectExact(workspace.client, app.storage, {
        evaluation: { path, id },
        asked: { helpful: 2, word: 1 },
        cases,
      })
    }
    await untilNoJobs(app.storage)
    expect(worker.hasEnded).toBe(false)
    console.log(`${CUTS} cuts: ${models.requests.length - before} questions for ${ids.length * cases * 2} scores`)
  })
})
