// @module-tag deep
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import {
  answerByRules,
  experimentWith,
  isReflection,
  iterationsOf,
  PROMPT,
  readExperiment,
  reflectByRules,
  resultsOf,
  ruleItems,
  startExperiment,
} from '../experiments/seed-experiment.ts'
import type { Client } from '../harness/client.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { startModelServer } from '../harness/model-server.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { shortLeaseSource, startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'
import type { Row } from '../playground/trying.ts'
import { seedDataset } from '../trials/seed-trial.ts'
import { endLeases, LEASE_SECONDS } from './end-leases.ts'

/** More than a job has attempts, in the deep stage: progress gives it all of them again. */
const KILLS = rounds({ test: 1, deep: 8, soak: 50 })
const ITEMS = rounds({ test: 36, deep: 60, soak: 60 })
const CALLS = rounds({ test: 150, deep: 2_000, soak: 2_000 })
const CONCURRENCY = 4
const MAX_USD = 50

describeEngines('kill -9 of the server while an experiment searches', (engine) => {
  it('the experiment makes the same choices as one that is not disturbed, repeats only calls in flight, and stays in its budget', {
    tags: 'sized',
  }, async () => {
    const random = randomOfTest()
    const requests: string[] = []
    const models = await startModelServer({
      answer: async (request) => {
        requests.push(JSON.stringify(request.body))
        await delay(5)
        return isReflection(request) ? reflectByRules(request) : answerByRules(request)
      },
    })
    const database = await createTestDatabase(engine, 'migrated')
    const environment = { OPENAI_BASE_URL: models.baseUrl, TOUCHSTONE_DEFAULT_MODEL: 'model-1' }
    const source = shortLeaseSource({ serves: true, works: true }, LEASE_SECONDS, {
      retryPauseMs: 10,
      pauseSeconds: 0.05,
      pollMs: 25,
    })
    const start = () => startServer(database.url, { source, environment })
    let server = await start()
    await server.client.create('/prices', { modelPattern: 'model-1', inputPerMillion: 100, outputPerMillion: 100 })
    const undisturbed = await seed(server.client)
    await experimentWith(server.client, undisturbed.path)
    const wanted = await outcomeOf(server.client, undisturbed.path)
    const distinct = requests.length

    requests.splice(0)
    const { path } = await seed(server.client)
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const target = Math.floor((distinct * (kill - 1 + random(1_000) / 1_000)) / (KILLS + 1))
      await waitFor(
        'enough requests',
        async () => requests.length > target || undefined,
        () => requests.length,
      )
      await server.kill()
      await endLeases(database.url)
      server = await start()
    }
    const ended = await experimentWith(server.client, path)
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'completed' })
    expect(await outcomeOf(server.client, path)).toEqual(wanted)
    expect(new Set(requests).size).toBeLessThanOrEqual(distinct)
    expect(requests.length).toBeLessThanOrEqual(distinct + KILLS * CONCURRENCY)
    const calls = await callsOf(server.client, [undisturbed.path, path])
    const traces = await tracesOf(server.client)
    expect(traces).toHaveLength(calls)
    expect(new Set(traces).size).toBe(calls)
    const { cost } = await resultsOf(server.client, path)
    expect(Number(Object(cost).totalUsd)).toBeLessThanOrEqual(MAX_USD)
    console.log(`experiment (${engine}): ${KILLS} kills, ${requests.length} requests for ${distinct}`)
    await server.kill()
    await models.close()
    database.remove()
  })
})

async function seed(client: Client) {
  const componentId = await client.create('/components', { name: 'Searched' })
  const datasetId = await seedDataset(client, componentId, ruleItems(ITEMS))
  const promptId = await client.create(`/components/${componentId}/prompts`, { name: 'ask' })
  const content = { messages: PROMPT, parameters: { maxTokens: 100 } }
  await client.post(`/components/${componentId}/prompts/${promptId}/versions`, { content })
  const of = { client, componentId, promptId, datasetId, version: 1 }
  return startExperiment(of, {
    allowTooFew: true,
    concurrency: CONCURRENCY,
    budget: { maxCostUsd: MAX_USD, maxCalls: CALLS, patience: 40 },
  })
}

/** All that have ended: each has one trace. */
async function callsOf(client: Client, paths: readonly string[]): Promise<number> {
  let sum = 0
  for (const path of paths) {
    const { answers, reflections }: { answers?: Row; reflections?: Row } = Object(
      (await readExperiment(client, path)).progress,
    )
    for (const counts of [answers, reflections]) sum += Number(counts?.done) + Number(counts?.failed)
  }
  return sum
}

async function tracesOf(client: Client): Promise<unknown[]> {
  const ids: unknown[] = []
  for (let offset = 0; offset === ids.length; offset += 100) {
    const page = await client.list(`/traces?q=source:experiment&limit=100&offset=${offset}`)
    ids.push(...page.map(({ traceId }) => traceId))
  }
  return ids
}

/** The candidates with their fates, and the verdict. */
async function outcomeOf(client: Client, path: string) {
  const rows = await iterationsOf(client, path, '&include=parents,scores')
  const { verdict, test, rejected } = await resultsOf(client, path)
  const { validation, progress, endedBy, reason } = await readExperiment(client, path)
  const finalists: Row[] = Object(test).finalists
  return {
    iterations: rows.map(({ createdAt: _, ...row }) => row),
    verdict,
    finalists: finalists.map(({ iteration, version, comparison }) => ({ iteration, version, comparison })),
    rejected,
    validation,
    progress,
    endedBy,
    reason,
  }
}
