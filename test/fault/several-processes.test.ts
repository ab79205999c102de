// @module-tag deep
import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { judgeBySchema } from '../harness/model-answers.ts'
import { startModelServer } from '../harness/model-server.ts'
import { launch, type ServerProcess, shortLeaseSource, startServer, waitFor } from '../harness/server-process.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { expectExact, JUDGE, OFFLINE, seedJudged, untilNoJobs, untilStatus } from './judged-cases.ts'
import { expectSums, expectWholeBatches, type SpanBatch, sendBatch, spanBatch } from './span-load.ts'

const CLIENTS = 4
const TURNS = 8
const CASES = 6
const LEASE_SECONDS = 1
/** In the middle of the load. */
const KILL_AFTER = 20

type Created = { name: string; id: string }

describe('two servers and two workers on one PostgreSQL', () => {
  it('one of each is killed under load: nothing acknowledged is lost, nothing is done twice, all evaluations end', async () => {
    const database = await createTestDatabase('postgres', 'migrated')
    // Models do not answer until a worker is killed, so that it is killed amid its work.
    const workerKilled = Promise.withResolvers<void>()
    const answer = async (request: Parameters<typeof judgeBySchema>[0]) => {
      await workerKilled.promise
      return judgeBySchema(request)
    }
    const models = await startModelServer({ answer })
    const startWorker = () =>
      launch({
        source: shortLeaseSource({ serves: false, works: true }, LEASE_SECONDS, { retryPauseMs: 10 }),
        environment: {
          DATABASE_URL: database.url,
          OPENAI_BASE_URL: models.baseUrl,
          TOUCHSTONE_DEFAULT_MODEL: 'judge-1',
        },
      })
    const serve = () => startServer(database.url, { command: ['serve', '--no-worker'] })
    const [first, second] = await Promise.all([serve(), serve()])
    const workers = [startWorker(), startWorker()]
    const storage = await openTestStorage(database.url, 'command')
    const { path, datasetId } = await seedJudged(second.client, CASES)

    const load = createLoad([first, second])
    const evaluation = { datasetId, config: { evaluators: [JUDGE, OFFLINE] } }
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = 0; turn < TURNS; turn += 1) {
        const name = `${client}.${turn}`
        await load.create('/components', name, {})
        await load.sendSpans(spanBatch({ sender: `0${client}`, turn }, turn % 2 === 0 ? 'json' : 'protobuf'))
        if (turn % 2 === 0) await load.create(path, name, evaluation)
      }
    })
    const serverKilled = waitFor('enough writes', async () => load.acknowledged() >= KILL_AFTER || undefined).then(() =>
      first.kill(),
    )
    await waitFor('both workers to have jobs', async () => {
      const owners = await storage.read
        .selectFrom('jobs')
        .select('lease_owner')
        .where('state', '=', 'running')
        .execute()
      return new Set(owners.map(({ lease_owner }) => lease_owner)).size === 2 || undefined
    })
    await workers[0]?.kill()
    workerKilled.resolve()
    await Promise.all([...clients, serverKilled])

    const { client } = second
    const evaluations = load.created(path)
    for (const { id } of evaluations) await untilStatus(client, { path, id }, 'completed')
    await untilNoJobs(storage)
    for (const { id } of evaluations)
      await expectExact(client, storage, { evaluation: { path, id }, asked: { helpful: 1, word: 1 }, cases: CASES })
    expect(await namedAndId(client, path)).toEqual(sorted(evaluations))
    const components = (await namedAndId(client, '/components')).filter(({ name }) => name !== 'Judged')
    expect(components).toEqual(sorted(load.created('/components')))
    await expectWholeBatches(client, load.batches)
    await expectSums(client, load.batches)
    expect([second.hasEnded, workers[1]?.hasEnded]).toEqual([false, false])
    console.log(`${load.acknowledged()} acknowledged, ${load.repeated()} sent again to the other server`)
    await Promise.all([second.kill(), workers[1]?.kill(), storage.close(), models.close()])
  })
})

/** Sends what fails with a connection again to the other server, as clients behind a load balancer do. */
function createLoad(servers: readonly [ServerProcess, ServerProcess]) {
  const created = new Map<string, Created[]>()
  const batches: SpanBatch[] = []
  let acknowledged = 0
  let repeated = 0

  async function send<Result>(request: (client: Client) => Promise<Result>): Promise<Result> {
    const [one, other] = acknowledged % 2 === 0 ? servers : [servers[1], servers[0]]
    try {
      return await request(one.client)
    } catch (error) {
      // Any response must be a success; only a connection may fail, of the server that is killed.
      if (!(error instanceof TypeError)) throw error
      repeated += 1
      return await request(other.client)
    } finally {
      acknowledged += 1
    }
  }

  return {
    batches,
    acknowledged: () => acknowledged,
    repeated: () => repeated,
    created: (path: string) => created.get(path) ?? [],
    async create(path: string, name: string, body: Record<string, unknown>): Promise<void> {
      const headers = { 'idempotency-key': `${path} ${name}` }
      const response = await send((client) => client.post(path, { ...body, name }, headers))
      expect([201, 202], response.text).toContain(response.status)
      created.set(path, [...(created.get(path) ?? []), { name, id: String(response.body.id) }])
    },
    async sendSpans(batch: SpanBatch): Promise<void> {
      batches.push(batch)
      await send((client) => sendBatch(client, batch))
      batch.isAnswered = true
    },
  }
}

async function namedAndId(client: Client, path: string): Promise<Created[]> {
  const listed = await client.list(`${path}?limit=100`)
  return sorted(listed.map(({ name, id }) => ({ name: String(name), id: String(id) })))
}

function sorted(created: readonly Created[]): Created[] {
  return created.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
