// @module-tag deep
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client as PostgresClient } from 'pg'
import { expect, it } from 'vitest'
import { createTestDatabase, describeEngines, type Engine } from '../harness/each-engine.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { launch, type Program, startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const ROUNDS = rounds({ test: 3, soak: 200 })
const TABLES = 100

describeEngines('kill -9 inside a migration', (engine) => {
  it('leaves the old schema or the new one, never something between', async () => {
    const random = randomOfTest()
    const { url, remove } = await createTestDatabase(engine, 'migrated')
    const environment = { DATABASE_URL: url }
    const foundation = await tablesOf(url, engine)
    let complete = 0
    for (let round = 1; round <= ROUNDS; round += 1) {
      const program = launch({ source: migration(round), environment })
      await waitFor('the migration to begin', async () => program.output.startsWith('began') || undefined)
      await spin(random(60))
      await program.kill()
      const tables = (await tablesOf(url, engine)).filter((name) => !foundation.includes(name))
      const applied = await appliedRounds(url)
      const expected = applied.flatMap((done) => Array.from({ length: TABLES }, (_, place) => `round_${done}_${place}`))
      expect(tables).toEqual(expected.sort())
      // All rounds that were missing are one transaction: either all of them are there or none of them is new.
      expect([complete, round]).toContain(applied.length)
      complete = applied.length
    }
    const last = launch({ source: migration(ROUNDS), environment })
    expect(await last.ended).toMatchObject({ code: 0, errors: '' })
    expect(await appliedRounds(url)).toHaveLength(ROUNDS)
    console.log(`migrations (${engine}): ${complete} of ${ROUNDS} rounds were complete after the kills`)
    remove()
  })

  it('killed in the very first start, the next start succeeds', async () => {
    const random = randomOfTest()
    const { url, remove } = await createTestDatabase(engine)
    const door = await watchDoor(url, engine)
    for (let round = 1; round <= ROUNDS; round += 1) {
      const program = launch({ environment: { DATABASE_URL: url } })
      await waitFor('the start to reach the database', async () => (await door.isReachedBy(program)) || undefined)
      await spin(random(80))
      await program.kill()
    }
    await door.close()
    const server = await startServer(url)
    await server.client.create('/components', { name: 'Well' })
    expect(await server.client.list('/components')).toHaveLength(1)
    await server.kill()
    remove()
  })
})

/** A program that applies this many migrations more, each with many statements. */
function migration(rounds: number): string {
  const source = (file: string) => JSON.stringify(join(import.meta.dirname, '../../src', file))
  return `
    import { systemClock } from ${source('base/clock.ts')}
    import { createLogger } from ${source('base/log.ts')}
    import { MIGRATIONS, migrate } from ${source('storage/migrate.ts')}
    import { openStorage } from ${source('storage/storage.ts')}
    const storage = await openStorage({ url: process.env.DATABASE_URL, log: createLogger('error'), use: 'server',
      onFatal() {}, poolSizeMax: 2, statementTimeoutMs: 30_000 })
    const rounds = Array.from({ length: ${rounds} }, (_, round) => ({
      name: '1000-round-' + (round + 1),
      statements: () => Array.from({ length: ${TABLES} },
        (_, place) => 'create table round_' + (round + 1) + '_' + place + ' (id integer primary key)'),
    }))
    process.stdout.write('began')
    await migrate(storage, systemClock(), [...MIGRATIONS, ...rounds])
    await storage.close()`
}

async function tablesOf(url: string, engine: Engine): Promise<string[]> {
  const storage = await openTestStorage(url, 'command')
  const { rows } = await (engine === 'sqlite'
    ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
    : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`
  ).execute(storage.read)
  await storage.close()
  return rows.map(({ name }) => name).sort()
}

async function appliedRounds(url: string): Promise<number[]> {
  const storage = await openTestStorage(url, 'command')
  const { rows } = await sql<{ name: string }>`select name from schema_migrations where name like '1000-%'`.execute(
    storage.read,
  )
  await storage.close()
  return rows.map(({ name }) => Number(name.slice('1000-round-'.length))).sort((a, b) => a - b)
}

/** On an embedded database the start has taken its lock; on PostgreSQL it has connected. */
async function watchDoor(url: string, engine: Engine) {
  if (engine === 'sqlite') {
    const file = `${url.slice('file:'.length)}.pid`
    // The one before it was killed and has left its own.
    const isReachedBy = async ({ pid }: Program) => existsSync(file) && readFileSync(file, 'utf8') === `${pid}\n`
    return { isReachedBy, close: async () => {} }
  }
  const watcher = new PostgresClient({ connectionString: url })
  await watcher.connect()
  const isReachedBy = async () => {
    const { rowCount } = await watcher.query(`select 1 from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    return rowCount !== 0
  }
  return { isReachedBy, close: () => watcher.end() }
}

/** A random moment: lets this many milliseconds pass. */
async function spin(ms: number): Promise<void> {
  const until = performance.now() + ms
  while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
}
