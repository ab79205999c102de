import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import type { Client } from '../harness/client.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { shortLeaseSource, startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const CASES = rounds({ test: 200, soak: 600 })
const EVALUATIONS = rounds({ test: 2, deep: 4, soak: 8 })
const EVALUATORS = [
  { type: 'humanRating' },
  { type: 'length', maxCharacters: 100 },
  { type: 'regex', name: 'pattern', pattern: '^a' },
]
/** Less than a job has attempts: a job that is hit every time must still end well. */
const KILLS = rounds({ test: 1, deep: 3, soak: 4 })
const ORDER = ['pending', 'running', 'completed']

describeEngines('kill -9 of the server while it evaluates', (engine) => {
  it('every accepted evaluation ends, each case is scored once, and no status goes backwards', {
    tags: 'sized',
  }, async () => {
    const random = randomOfTest()
    const database = await createTestDatabase(engine, 'migrated')
    const start = () => startServer(database.url, { source: shortLeaseSource({ serves: true, works: true }, 1) })
    let server = await start()
    const { path, ids } = await startEvaluations(server.client)
    const storage = await openTestStorage(database.url, 'command')
    const seen = new Map<string, string>()
    const all = ids.length * CASES * EVALUATORS.length
    for (let round = 1; round <= KILLS; round += 1) {
      const target = Math.floor((all * (round - 1 + random(1_000) / 1_000)) / (KILLS + 1))
      await waitFor(
        'enough scores',
        async () => {
          await watch(server.client, path, seen)
          return (await countScores(storage)) > target || undefined
        },
        () => countScores(storage),
      )
      await server.kill()
      server = await start()
    }
    await waitFor(
      'all evaluations to end',
      async () => {
        await watch(server.client, path, seen)
        return [...seen.values()].every((status) => status === 'completed') || undefined
      },
      () => countScores(storage),
    )
    expect([...seen.keys()].sort()).toEqual(ids.toSorted())
    for (const id of ids) await expectExact(server.client, storage, { path, id })
    expect(await waitFor('no job to be left', async () => (await countJobs(storage)) === 0 || undefined)).toBe(true)
    console.log(`evaluations (${engine}): ${KILLS} kills, ${await countScores(storage)} scores of ${all}`)
    await storage.close()
    await server.kill()
    database.remove()
  })
})

async function startEvaluations(client: Client): Promise<{ path: string; ids: string[] }> {
  const component = await client.create('/components', { name: 'Judged' })
  const traceIds = Array.from({ length: CASES }, (_, place) => `trace-${place}`)
  const datasetId = await client.create(`/components/${component}/datasets`, { name: 'Cases', traceIds })
  const runId = await client.create(`/components/${component}/runs`, { datasetId, traceIds })
  const annotate = (traceDbId: string, place: number) =>
    client.create(`/components/${component}/runs/${runId}/annotations`, {
      traceDbId,
      rating: place % 3 === 0 ? 'negative' : 'positive',
    })
  await Promise.all(traceIds.slice(0, CASES / 4).map(annotate))
  const path = `/components/${component}/evaluations`
  const start = (_: unknown, place: number) =>
    client.create(path, { datasetId, ...(place % 2 ? { runId } : {}), config: { evaluators: EVALUATORS } })
  return { path, ids: await Promise.all(Array.from({ length: EVALUATIONS }, start)) }
}

/** Reads every status and fails if one is behind what was read before. */
async function watch(client: Client, path: string, seen: Map<string, string>): Promise<void> {
  for (const { id, status } of await client.list(`${path}?limit=100`)) {
    const before = seen.get(String(id)) ?? 'pending'
    if (ORDER.indexOf(String(status)) < ORDER.indexOf(before)) {
      const { text } = await client.get(`${path}/${id}`)
      throw new Error(`The server ended: evaluation ${id} went from ${before} to ${status}: ${text}`)
    }
    seen.set(String(id), String(status))
  }
}

async function expectExact(
  client: Client,
  storage: Storage,
  { path, id }: { path: string; id: string },
): Promise<void> {
  const { body } = await client.get(`${path}/${id}`)
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) as count from evaluation_scores where evaluation_id = ${id} group by state`.execute(
    storage.read,
  )
  const counted = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  expect(body.progress).toEqual({
    total: CASES * EVALUATORS.length,
    done: counted.scored,
    failed: counted.failed ?? 0,
    skipped: counted.skipped,
  })
  expect(counted).toEqual({ scored: CASES / 4, skipped: CASES * EVALUATORS.length - CASES / 4 })
  expect(body).toMatchObject({ status: 'completed', error: null, results: { metrics: [{ n: CASES / 4 }, {}, {}] } })
}

/** Those that have ended: all are planned before the first of them is computed. */
async function countScores(storage: Storage): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from evaluation_scores where state in ('scored', 'failed', 'skipped')`.execute(
    storage.read,
  )
  return rows[0]?.count ?? 0
}

async function countJobs(storage: Storage): Promise<number> {
  return (await storage.read.selectFrom('jobs').select('id').execute()).length
}
