// @module-tag deep
import { Client as PostgresClient } from 'pg'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../harness/each-engine.ts'
import { startFaultProxy } from '../harness/fault-proxy.ts'
import { startPostgres } from '../harness/postgres-server.ts'
import { launch, type ServerProcess, startServer, waitFor } from '../harness/server-process.ts'
import { expectSums, expectWholeBatches, sendBatch, sendRejected, spanBatch } from './span-load.ts'

const TERMINATE_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

describe('PostgreSQL ends every connection again and again', () => {
  it('the server keeps running, responds with success or 503, keeps what it acknowledged, and recovers', async () => {
    const database = await createTestDatabase('postgres', 'migrated')
    const server = await startServer(database.url)
    const admin = await connectTo(database.url)
    const load = writeThroughTrouble(server)
    const terminations = await new Promise<number>((resolve, reject) => {
      let times = 0
      const timer = setInterval(() => {
        times += 1
        admin.query(TERMINATE_OTHERS).catch(reject)
        if (times < 15) return
        clearInterval(timer)
        resolve(times)
      }, 200)
    })
    await expectRecovery(server, load)
    console.log(
      `${terminations} terminations: ${load.acknowledged.length} writes answered, ${load.rejected} rejected with 503`,
    )
    expect(load.rejected).toBeGreaterThan(0)
    await admin.end()
    await server.kill()
  })
})

describe('PostgreSQL crashes and restarts', () => {
  it('returns 503 meanwhile, keeps what it acknowledged, and recovers by itself', async () => {
    const postgres = await startPostgres()
    try {
      const server = await startServer(await postgres.createDatabase('crashing'))
      const load = writeThroughTrouble(server)
      for (let crash = 1; crash <= 3; crash += 1) {
        const before = load.acknowledged.length
        await waitFor('some writes', async () => {
          if (server.hasEnded) throw new Error(`The server ended: ${server.errors.slice(-2_000)}`)
          return load.acknowledged.length > before + 50 || undefined
        })
        await postgres.restart('immediate')
      }
      await expectRecovery(server, load)
      console.log(`3 crashes: ${load.acknowledged.length} writes answered, ${load.rejected} rejected with 503`)
      await server.kill()
    } finally {
      await postgres.stop()
    }
  })
})

describe('the network swallows everything between the server and PostgreSQL', () => {
  it('every request gets 503, the process stays alive but not ready, and recovers with the network', async () => {
    const database = await createTestDatabase('postgres', 'migrated')
    const { hostname, port } = new URL(database.url)
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    const through = new URL(database.url)
    through.port = String(proxy.port)
    const server = await startServer(through.href, { environment: { TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS: '1' } })
    const id = await server.client.create('/components', { name: 'Before' })
    proxy.swallow()
    const startedAt = performance.now()
    const answeredMs: number[] = []
    // More than the pool has connections: those who wait for one must be answered as well.
    const requests = Array.from({ length: 24 }, async (_, place) => {
      const { status, body } = await (place % 2
        ? server.client.post('/components', { name: 'Swallowed' })
        : server.client.get(`/components/${id}`))
      answeredMs.push(Math.round(performance.now() - startedAt))
      return { status, body }
    })
    for (const answer of await Promise.all(requests)) {
      expect(answer).toEqual({ status: 503, body: { error: expect.any(String) } })
    }
    expect((await server.client.get('/health')).status).toBe(200)
    expect((await server.client.get('/ready')).status).toBe(503)
    proxy.heal()
    const healedAt = performance.now()
    await waitFor('a write to succeed', async () => (await post(server, 'After')) === 201 || undefined)
    console.log(
      `black hole with a statement timeout of 1 s: first answer after ${answeredMs[0]} ms, last after ${answeredMs.at(-1)} ms, ` +
        `well ${Math.round(performance.now() - healedAt)} ms after it ended`,
    )
    const names = (await server.client.list('/components')).map(({ name }) => name)
    expect(names).not.toContain('Swallowed')
    expect(server.hasEnded).toBe(false)

    proxy.cut()
    await waitFor('a write to succeed', async () => (await post(server, 'After the cut')) === 201 || undefined)
    proxy.delayBy(50)
    expect(await post(server, 'Slowly')).toBe(201)
    await server.kill()
    await proxy.close()
  })
})

describe('SIGTERM while PostgreSQL does not respond', () => {
  it('ends the process, although requests and jobs wait for the database', async () => {
    const database = await createTestDatabase('postgres', 'migrated')
    const { hostname, port } = new URL(database.url)
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    const through = new URL(database.url)
    through.port = String(proxy.port)
    const server = await startServer(through.href)
    proxy.swallow()
    const waiting = Promise.allSettled(Array.from({ length: 24 }, () => post(server, 'Swallowed')))
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ signal: null })
    await waiting
    await proxy.close()
  })
})

describe('PostgreSQL is read-only', () => {
  it('writes and spans return 503, reads continue, and the server is not ready; spans sent again later are stored', async () => {
    const database = await createTestDatabase('postgres', 'migrated')
    const server = await startServer(database.url)
    const admin = await connectTo(database.url)
    const name = new URL(database.url).pathname.slice(1)
    await admin.query(`alter database ${name} set default_transaction_read_only = on`)
    await admin.query(TERMINATE_OTHERS)
    await waitFor('a read', async () => (await server.client.get('/workspace')).status === 200 || undefined)
    expect(await post(server, 'Rejected')).toBe(503)
    expect((await server.client.get('/ready')).status).toBe(503)
    const batches = (['json', 'protobuf'] as const).map((encoding, place) =>
      spanBatch({ sender: `${place}`, turn: 3 }, encoding),
    )
    for (const batch of batches) expect(await sendRejected(server, batch)).toBe('rejected')
    expect((await server.client.get('/traces')).body).toEqual({ data: [], total: 0, traces: [] })
    await admin.query('set default_transaction_read_only = off')
    await admin.query(`alter database ${name} reset default_transaction_read_only`)
    await admin.query(TERMINATE_OTHERS)
    await waitFor('a write to succeed', async () => (await post(server, 'After')) === 201 || undefined)
    for (const batch of batches) await sendBatch(server.client, batch)
    await expectWholeBatches(server.client, batches)
    await expectSums(server.client, batches)
    await admin.end()
    await server.kill()
  })
})

describe('a start while another process migrates for longer than a statement may take', () => {
  it('waits for its turn and then starts', async () => {
    const database = await createTestDatabase('postgres')
    const admin = await connectTo(database.url)
    await admin.query('begin')
    await admin.query('select pg_advisory_xact_lock(7305801)')
    const program = launch({
      environment: { DATABASE_URL: database.url, TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS: '1' },
    })
    const watcher = await connectTo(database.url)
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
      and clock_timestamp() - query_start > interval '3 seconds'`
    await waitFor('a long wait', async () => {
      return program.hasEnded || ((await watcher.query(waiting)).rowCount ?? 0) > 0 || undefined
    })
    expect({ hasEnded: program.hasEnded, errors: program.errors }).toEqual({ hasEnded: false, errors: '' })
    await admin.query('rollback')
    await waitFor('the server to start', async () => program.output.includes('is ready') || undefined)
    await program.kill()
    await admin.end()
    await watcher.end()
  })
})

async function connectTo(url: string): Promise<PostgresClient> {
  const client = new PostgresClient({ connectionString: url })
  client.on('error', () => {}) // Tests here cut connections on purpose.
  await client.connect()
  return client
}

async function post({ client }: ServerProcess, name: string): Promise<number> {
  return (await client.post('/components', { name })).status
}

/** Writes on and on; only success and 503 are answers, and a lost connection is none. */
function writeThroughTrouble(server: ServerProcess) {
  const load = { acknowledged: [] as string[], rejected: 0, stop: async () => {} }
  let isStopped = false
  async function work(): Promise<void> {
    while (!isStopped) {
      const { status, text, body } = await server.client.post('/components', { name: 'Written' })
      if (status === 201) load.acknowledged.push(String(body.id))
      else if (status === 503) load.rejected += 1
      else throw new Error(`${status} ${text}`)
    }
  }
  const end = Promise.all(Array.from({ length: 6 }, work)).catch((error: unknown) => {
    throw new Error(`The server ended or gave a wrong answer (${server.errors.slice(-2_000)})`, { cause: error })
  })
  end.catch(() => {}) // Handled by `stop`.
  load.stop = async () => {
    isStopped = true
    await end
  }
  return load
}

async function expectRecovery(server: ServerProcess, load: ReturnType<typeof writeThroughTrouble>): Promise<void> {
  await load.stop()
  expect(server.hasEnded).toBe(false)
  await waitFor('a write to succeed', async () => (await post(server, 'After')) === 201 || undefined)
  for (let times = 0; times < 20; times += 1) expect(await post(server, 'Normal again')).toBe(201)
  const stored = await storedIds(server)
  expect(load.acknowledged.filter((id) => !stored.has(id))).toEqual([])
}

async function storedIds({ client }: ServerProcess): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let offset = 0; ; offset += 100) {
    const page = await client.list(`/components?limit=100&offset=${offset}`)
    for (const { id } of page) ids.add(String(id))
    if (page.length < 100) return ids
  }
}
