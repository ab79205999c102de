// @module-tag deep
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { sendJson } from '../endpoints/service.ts'
import type { Client } from '../harness/client.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { startModelServer } from '../harness/model-server.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { shortLeaseSource, startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'
import { startTestApp } from '../harness/test-app.ts'
import type { Row } from '../playground/trying.ts'
import { allCalls, readTrial, seedComponent, seedDataset, startTrial, trialWith } from '../trials/seed-trial.ts'
import { endLeases, LEASE_SECONDS } from './end-leases.ts'

const CALLS = rounds({ test: 60, deep: 150, soak: 500 })
/** More than a job has attempts, in the deep stage: progress gives it all of them again. */
const KILLS = rounds({ test: 2, deep: 7, soak: 20 })
const CONCURRENCY = 4
const USD_PER_TOKEN = 0.001
const ANSWER_TOKENS_MAX = 100
/** What a call that was sent may cost at most: a token for each byte of its messages, with some for their form, and the answer. */
const CALL_USD_MAX = USD_PER_TOKEN * (300 + ANSWER_TOKENS_MAX)
/** Enough for all calls, for those that kills charge at their maximum, and for the last ones, which are reserved at it. */
const MAX_USD = 0.02 * CALLS + CALL_USD_MAX * (KILLS + 1) * CONCURRENCY

describeEngines('kill -9 of the server while it sends the calls of a trial', (engine) => {
  it('every call has one end, none that has ended is sent again, and the cost stays below its limit', {
    tags: 'sized',
  }, async () => {
    const random = randomOfTest()
    /** By its text, which is that of an item: how often each was sent. */
    const sent = new Map<string, number>()
    let billedUsd = 0
    const models = await startModelServer({
      answer: async ({ user }) => {
        sent.set(user, (sent.get(user) ?? 0) + 1)
        const answer = `answer to ${user}`
        billedUsd += USD_PER_TOKEN * [user, answer].reduce((sum, text) => sum + Math.ceil(text.length / 4), 0)
        await delay(5)
        return answer
      },
    })
    const database = await createTestDatabase(engine, 'migrated')
    const environment = { OPENAI_BASE_URL: models.baseUrl, TOUCHSTONE_DEFAULT_MODEL: 'model-1' }
    const source = shortLeaseSource({ serves: true, works: true }, LEASE_SECONDS, { retryPauseMs: 10 })
    const start = () => startServer(database.url, { source, environment })
    let server = await start()
    const { path, runId, componentId } = await seed(server.client)
    const ended = new Map<string, number>()
    for (let round = 1; round <= KILLS; round += 1) {
      const target = Math.floor((CALLS * (round - 1 + random(1_000) / 1_000)) / (KILLS + 1))
      await waitFor(
        'enough calls',
        async () => (await countDone(server.client, path)) > target || undefined,
        () => countDone(server.client, path),
      )
      await server.kill()
      await endLeases(database.url)
      server = await start()
      // Those that had ended before the kill are not sent after it.
      for (const call of await allCalls(server.client, path, '&state=done')) {
        const text = textOf(Number(call.id))
        expect(sent.get(text)).toBe(ended.get(text) ?? sent.get(text))
        ended.set(text, sent.get(text) ?? 0)
      }
    }
    const trial = await trialWith(server.client, path)
    expect(trial).toMatchObject({ status: 'completed', endedBy: 'done' })
    expect(trial.progress).toEqual({ total: CALLS, done: CALLS, failed: 0, skipped: 0 })
    const total = [...sent.values()].reduce((sum, times) => sum + times, 0)
    expect(sent.size).toBe(CALLS)
    expect(total).toBeLessThanOrEqual(CALLS + KILLS * CONCURRENCY)
    for (const [text, times] of ended) expect(sent.get(text)).toBe(times)
    const { body: run } = await server.client.get(`/components/${componentId}/runs/${runId}`)
    expect(run.traceCount).toBe(CALLS)
    const { spentUsd }: Record<string, unknown> = Object(trial.cost)
    // Only calls that a kill has cut off are charged at their maximum.
    expect(Number(spentUsd)).toBeLessThanOrEqual(billedUsd + KILLS * CONCURRENCY * CALL_USD_MAX)
    expect(Number(spentUsd)).toBeLessThanOrEqual(MAX_USD)
    // The provider bills every request, also those whose answer has reached no one.
    expect(Number(spentUsd)).toBeGreaterThanOrEqual(billedUsd - 1e-6)
    const costs = (await allCalls(server.client, path)).map(({ costUsd }) => Number(costUsd))
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(Number(spentUsd), 6)
    console.log(`trial (${engine}): ${KILLS} kills, ${total} requests for ${CALLS} calls, $${spentUsd}`)
    await server.kill()
    await models.close()
    database.remove()
  })
})

describeEngines('kill -9 of the server while it calls an endpoint', (engine) => {
  it('every call has one end, none that has ended is sent again, and what was sent without an answer is', {
    tags: 'sized',
  }, async () => {
    const random = randomOfTest()
    const sent = new Map<string, number>()
    const service = createServer(async (req, res) => {
      // A server that is killed may leave half a request.
      const { question }: { question?: unknown } = Object(await json(req).catch(() => undefined))
      if (question === undefined) return
      const text = String(question)
      sent.set(text, (sent.get(text) ?? 0) + 1)
      await delay(5)
      sendJson(res, 200, { answer: `answer to ${text}` })
    }).listen(0, '127.0.0.1')
    await once(service, 'listening')
    const { port }: { port?: number } = Object(service.address())
    const database = await createTestDatabase(engine, 'migrated')
    // Endpoints are created in a session, which a server of this process can have.
    const app = await startTestApp(database.url, { works: false })
    const items = Array.from({ length: CALLS }, (_, place): Row => ({ input: textOf(place + 1) }))
    const of = await seedComponent(app, items)
    const admin = await browserWith(app, of.workspaceId, 'admin')
    await admin.create('/endpoints', { name: 'staging', baseUrl: `http://127.0.0.1:${port}/` })
    const target = { type: 'http', endpoint: 'staging', body: { question: '{{input}}' }, output: '/answer' }
    const body = { variants: [{ name: 'service', target }], concurrency: CONCURRENCY }
    const { path, runs } = await startTrial(of, body)
    await app.close()
    const source = shortLeaseSource({ serves: true, works: true }, LEASE_SECONDS, { retryPauseMs: 10 })
    const environment = { TOUCHSTONE_ALLOWED_EGRESS: '127.0.0.1', TOUCHSTONE_SECRET_KEY: '5e'.repeat(32) }
    let server = await startServer(database.url, { source, environment })
    let client = server.withKey(of.key)
    const ended = new Map<string, number>()
    for (let round = 1; round <= KILLS; round += 1) {
      const wanted = Math.floor((CALLS * (round - 1 + random(1_000) / 1_000)) / (KILLS + 1))
      await waitFor(
        'enough calls',
        async () => (await countDone(client, path)) > wanted || undefined,
        () => countDone(client, path),
      )
      await server.kill()
      await endLeases(database.url)
      server = await startServer(database.url, { source, environment })
      client = server.withKey(of.key)
      for (const call of await allCalls(client, path, '&state=done')) {
        const text = textOf(Number(call.id))
        expect(sent.get(text)).toBe(ended.get(text) ?? sent.get(text))
        ended.set(text, sent.get(text) ?? 0)
      }
    }
    const trial = await trialWith(client, path)
    expect(await allCalls(client, path, '&state=failed')).toEqual([])
    expect(trial).toMatchObject({ status: 'completed', endedBy: 'done' })
    expect(trial.progress).toEqual({ total: CALLS, done: CALLS, failed: 0, skipped: 0 })
    const total = [...sent.values()].reduce((sum, times) => sum + times, 0)
    expect(sent.size).toBe(CALLS)
    expect(total).toBeLessThanOrEqual(CALLS + KILLS * CONCURRENCY)
    for (const [text, times] of ended) expect(sent.get(text)).toBe(times)
    const { body: run } = await client.get(`/components/${of.componentId}/runs/${runs[0]?.runId}`)
    expect(run.traceCount).toBe(CALLS)
    console.log(`trial of an endpoint (${engine}): ${KILLS} kills, ${total} requests for ${CALLS} calls`)
    await server.kill()
    service.close()
    database.remove()
  })
})

/** In the order of the calls, which is that of the items. */
function textOf(number: number): string {
  return `question ${number}.`
}

async function seed(client: Client) {
  const componentId = await client.create('/components', { name: 'Tried' })
  const items = Array.from({ length: CALLS }, (_, place): Row => ({ input: textOf(place + 1) }))
  const datasetId = await seedDataset(client, componentId, items)
  const promptId = await client.create(`/components/${componentId}/prompts`, { name: 'ask' })
  const content = {
    messages: [{ role: 'user', content: '{{question}}' }],
    parameters: { maxTokens: ANSWER_TOKENS_MAX },
  }
  await client.post(`/components/${componentId}/prompts/${promptId}/versions`, { content })
  await client.create('/prices', {
    modelPattern: 'model-1',
    inputPerMillion: 1e6 * USD_PER_TOKEN,
    outputPerMillion: 1e6 * USD_PER_TOKEN,
  })
  const variants = [{ name: 'v1', target: { type: 'prompt', promptId, version: 1 } }]
  const body = { variants, concurrency: CONCURRENCY, maxCostUsd: MAX_USD }
  const { path, runs } = await startTrial({ client, componentId, datasetId }, body)
  return { path, componentId, runId: runs[0]?.runId }
}

async function countDone(client: Client, path: string): Promise<number> {
  const { progress } = await readTrial(client, path)
  return Number(Object(progress).done)
}
