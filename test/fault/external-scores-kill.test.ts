// @module-tag deep
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { shortLeaseSource, startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { expectExact, OFFLINE, seedJudged, untilNoJobs, untilStatus } from './judged-cases.ts'

const CASES = rounds({ test: 300, soak: 1_000 })
const PER_REQUEST = 10
/** One before the worker has begun, others while scores arrive, and one when all have arrived. */
const KILLS = rounds({ test: 3, soak: 30 })
const TONE = { type: 'external', name: 'tone' }

describeEngines('kill -9 of the server while clients deliver external scores', (engine) => {
  it('every acknowledged score is there once, and the evaluation ends with all of them', async () => {
    const random = randomOfTest()
    const database = await createTestDatabase(engine, 'migrated')
    const start = () => startServer(database.url, { source: shortLeaseSource({ serves: true, works: true }, 1) })
    let server = await start()
    const restart = async () => {
      await server.kill()
      server = await start()
    }
    const { path, dataset, datasetId } = await seedJudged(server.client, CASES)
    const itemIds = await listItems(server.client, dataset)
    const id = await server.client.create(path, { datasetId, config: { evaluators: [TONE, OFFLINE] } })
    await restart()
    const storage = await openTestStorage(database.url, 'command')
    const batches = Math.ceil(CASES / PER_REQUEST)
    // Not at the last one: the evaluation may be final by the time that it is repeated.
    const killedAt = new Set(Array.from({ length: KILLS - 2 }, () => 1 + random(batches - 2)))
    let stored = 0
    for (let batch = 0; batch < batches; batch += 1) {
      const some = itemIds.slice(batch * PER_REQUEST, (batch + 1) * PER_REQUEST)
      const scores = some.map((itemId) => ({ evaluator: 'tone', itemId, score: 0.5, details: { itemId } }))
      const deliver = () => server.client.post(`${path}/${id}/scores`, { scores })
      if (killedAt.has(batch)) {
        // The response is lost; the scores may or may not have been stored.
        const lost = deliver().catch(() => undefined)
        await restart()
        await lost
      }
      const { body, status } = await waitFor('the scores to be acknowledged', deliver)
      expect(status).toBe(200)
      expect(body.unknown).toEqual([])
      expect(Number(body.stored) + Number(body.unchanged)).toBe(some.length)
      stored += Number(body.stored)
    }
    await restart()
    await untilStatus(server.client, { path, id }, 'completed')
    const expected = { evaluation: { path, id }, asked: { tone: 1, word: 1 }, cases: CASES }
    const { scores } = await expectExact(server.client, storage, expected)
    const delivered = scores.filter(({ evaluator }) => evaluator === 'tone')
    expect(delivered.every(({ score, details, item_id }) => score === 0.5 && details?.includes(String(item_id)))).toBe(
      true,
    )
    await untilNoJobs(storage)
    console.log(
      `external scores (${engine}): ${killedAt.size + 2} kills, ${stored} of ${CASES} stored by their last request`,
    )
    await storage.close()
    await server.kill()
    database.remove()
  })
})

async function listItems(client: Client, dataset: string): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < CASES) {
    const page = await client.list(`${dataset}/items?limit=100&offset=${ids.length}`)
    ids.push(...page.map((item) => String(item.id)))
  }
  return ids
}
