// @module-tag deep
/** One application sends many slow reads; another one is a bystander, whose served requests are counted. */
import { connect } from 'node:net'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { seedComponent, seedItems, seedOutputs, start, until } from '../evaluation-engine/evaluating.ts'
import { OFFLINE } from '../fault/judged-cases.ts'
import { type Client, createClient } from '../harness/client.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import type { SeededWorkspace, TestApp } from '../harness/test-app.ts'
import { storeTrace } from '../traces/stored-traces.ts'
import { head } from './hostile-sockets.ts'

/** Texts too short for an index, none of which occurs: each is compared with every text. */
const SLOW_QUERY = Array.from({ length: 50 }, (_, place) => `q${String.fromCharCode(0x100 + place)}`).join(' OR ')
const SLOW_SEARCH = `/traces?q=${encodeURIComponent(SLOW_QUERY)}`
const QUICK_SEARCH = `/traces?q=${encodeURIComponent('zz')}`

/** As many as one application may have running and waiting, on either engine. */
const IN_FLIGHT = 9
const BYSTANDER_READS = 10

const { log, logged } = collectingLog('error')

async function withSlowSearches(app: TestApp): Promise<SeededWorkspace> {
  const workspace = await app.newWorkspace()
  const { workspaceId } = workspace
  const spans = Array.from({ length: 40 }, (_, place) => ({ name: `${place} ${'abcdefgh'.repeat(4_000)}` }))
  await storeTrace(app.storage, { workspaceId, atMs: app.clock.now(), spans })
  return workspace
}

/** Keeps so many requests in flight until it is stopped; counts the responses by their status. */
function flood(client: Client, path: string, inFlight: number) {
  const statuses = new Map<number, number>()
  let isStopped = false
  const repeat = async () => {
    while (!isStopped) {
      const { status } = await client.get(path)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const ended = Promise.all(Array.from({ length: inFlight }, repeat))
  return {
    served: () => statuses.get(200) ?? 0,
    statuses: () => [...statuses.keys()].sort(),
    async stop() {
      isStopped = true
      await ended
    },
  }
}

async function countServed(client: Client, path: string, count: number): Promise<number> {
  let served = 0
  for (let place = 0; place < count; place += 1) {
    const { status } = await client.get(path)
    if (status === 200) served += 1
  }
  return served
}

/** The harness keeps the password to itself. */
function postgresUrl({ storage }: TestApp): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = new URL(storage.location).pathname
  return url.href
}

type TableLocks = {
  lock(table: string): Promise<unknown>
  unlock(): Promise<unknown>
  /** Statements of the server that wait for a lock. */
  countWaiting(): Promise<number>
}

async function withTableLocks(app: TestApp, work: (locks: TableLocks) => Promise<void>): Promise<void> {
  const connectionString = postgresUrl(app)
  const locker = new pg.Client({ connectionString })
  const observer = new pg.Client({ connectionString })
  await Promise.all([locker.connect(), observer.connect()])
  try {
    await work({
      lock: (table) => locker.query(`begin; lock table ${table} in access exclusive mode`),
      unlock: () => locker.query('rollback'),
      async countWaiting() {
        const { rows } = await observer.query<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity
           where datname = current_database() and application_name = 'touchstone' and wait_event_type = 'Lock'`,
        )
        return rows[0]?.count ?? 0
      },
    })
  } finally {
    await locker.query('rollback')
    await Promise.all([locker.end(), observer.end()])
  }
}

describeEachEngine(
  'an application with many slow reads',
  (app, engine) => {
    it('delays neither the searches, nor the exports, nor an evaluation of another application', async () => {
      const greedy = await withSlowSearches(app())
      const bystander = await seedOutputs(app(), 20)
      const burst = await Promise.all(Array.from({ length: 40 }, () => greedy.client.get(SLOW_SEARCH)))
      const rejected = burst.filter(({ status }) => status === 429)
      expect(rejected.length).toBeGreaterThan(0)
      expect(rejected[0]?.body).toMatchObject({
        error: expect.stringContaining('Too many searches of this application'),
      })
      expect(burst.every(({ status }) => status === 200 || status === 429)).toBe(true)

      const searches = flood(greedy.client, SLOW_SEARCH, IN_FLIGHT)
      await waitFor('the first slow search', async () => searches.served() > 0 || undefined)
      const before = searches.served()
      expect(await countServed(bystander.client, QUICK_SEARCH, BYSTANDER_READS)).toBe(BYSTANDER_READS)
      // In the order of arrival, each of these would have waited for all that were in flight.
      expect(searches.served() - before).toBeLessThan((BYSTANDER_READS * IN_FLIGHT) / 2)
      const exported = `${bystander.below}/datasets/${bystander.datasetId}/export`
      expect(await countServed(bystander.client, exported, BYSTANDER_READS)).toBe(BYSTANDER_READS)
      const evaluation = await start(bystander, { datasetId: bystander.datasetId, config: { evaluators: [OFFLINE] } })
      await until(async () => expect((await bystander.client.get(evaluation)).body.status).toBe('completed'))
      await searches.stop()
      expect(searches.statuses()).toEqual([200])
    })

    it('alternates with exports of another one, for any number of exports', async () => {
      const greedy = await seedComponent(app())
      const items = Array.from({ length: 3_000 }, (_, place) => ({ input: `${place} ${'x'.repeat(1_000)}` }))
      const { datasetId } = await seedItems(greedy, items)
      const bystander = await seedOutputs(app(), 20)
      const path = `${greedy.below}/datasets/${datasetId}/export`
      const exports = flood(greedy.client, path, 30)
      await waitFor('the first export', async () => exports.served() > 0 || undefined)
      const before = exports.served()
      const own = `${bystander.below}/datasets/${bystander.datasetId}/export`
      expect(await countServed(bystander.client, own, BYSTANDER_READS)).toBe(BYSTANDER_READS)
      expect(exports.served() - before).toBeLessThan(BYSTANDER_READS * 15)
      await exports.stop()
      // Too many at once are rejected before the response begins: what has begun is sent whole.
      expect(exports.statuses().every((status) => status === 200 || status === 429)).toBe(true)
      const { text } = await greedy.client.get(path)
      expect(text.trimEnd().split('\n')).toHaveLength(items.length)
    })

    it('frees the slots of searches whose clients have left, without reporting errors', async () => {
      // The server of the other engine reported what its closing interrupted.
      logged.length = 0
      const greedy = await withSlowSearches(app())
      const { hostname, port } = new URL(app().url)
      const request = [`GET /api/v1${SLOW_SEARCH} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${greedy.key}`]
      // More than may run and wait together: the others get 429.
      for (let round = 0; round < 5; round += 1) {
        const sockets = Array.from({ length: IN_FLIGHT }, () => connect(Number(port), hostname))
        for (const socket of sockets) socket.on('error', () => {})
        await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(head(request), resolve))))
        for (const socket of sockets) socket.destroy()
      }
      const { client } = greedy
      // Until the server has noticed that all have left, it may reject some.
      await until(async () => expect(await countServed(client, QUICK_SEARCH, BYSTANDER_READS)).toBe(BYSTANDER_READS))
      expect(logged).toEqual([])
    })

    it.runIf(engine === 'postgres')('has its searches canceled in the server when their clients leave', async () => {
      const greedy = await withSlowSearches(app())
      await withTableLocks(app(), async ({ lock, countWaiting }) => {
        // Searches that would run until their statement timeout, which is longer here than the test waits.
        await lock('spans')
        const leaving = new AbortController()
        const authorization = `Bearer ${greedy.key}`
        const left = fetch(`${app().url}/api/v1${SLOW_SEARCH}`, { headers: { authorization }, signal: leaving.signal })
        await waitFor('the search to run', async () => (await countWaiting()) === 1 || undefined)
        leaving.abort()
        await expect(left).rejects.toThrow()
        await waitFor('the search to be canceled', async () => (await countWaiting()) === 0 || undefined)
      })
      // The connection of the search is used again, and what runs on it is not canceled.
      const bystander = createClient(app().url, { authorization: `Bearer ${greedy.key}` })
      expect(await countServed(bystander, QUICK_SEARCH, BYSTANDER_READS)).toBe(BYSTANDER_READS)
    })

    it.runIf(engine === 'postgres')('starts no search of a client that left while its key was checked', async () => {
      const greedy = await withSlowSearches(app())
      const { hostname, port } = new URL(app().url)
      await withTableLocks(app(), async ({ lock, unlock, countWaiting }) => {
        await lock('api_keys')
        const socket = connect(Number(port), hostname)
        socket.write(
          head([`GET /api/v1${SLOW_SEARCH} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${greedy.key}`]),
        )
        await waitFor('the key to be checked', async () => (await countWaiting()) === 1 || undefined)
        await new Promise((resolve) => socket.once('close', resolve).destroy())
        // The server shares the event loop: after a later request it has noticed the closed connection.
        await app().anonymous.get('/me')
        await unlock()
        await lock('spans')
        await greedy.client.get('/components')
        expect(await countWaiting()).toBe(0)
      })
    })
  },
  { log, environment: { TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS: '600', TOUCHSTONE_REQUESTS_PER_SECOND: '100000' } },
)
