// @module-tag deep
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Client as PostgresClient } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { startPostgres } from '../harness/postgres-server.ts'
import { makeFolder, PROGRAM, type ServerProcess, startServer, waitFor } from '../harness/server-process.ts'
import { paste } from '../harness/shell.ts'
import { blocksOf } from './documents.ts'

const { folder, remove } = makeFolder()
afterAll(remove)

/** As an installation has it: a program on the path. */
const bin = join(folder, 'bin')
mkdirSync(bin)
writeFileSync(join(bin, 'touchstone-server'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`)
chmodSync(join(bin, 'touchstone-server'), 0o755)

/** The newest PostgreSQL of the system that has both a server and `pg_dump`: it can only read a server that is not newer. */
const installed = globSync('/usr/lib/postgresql/*/bin')
  .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  .find((path) => ['postgres', 'initdb', 'pg_dump', 'psql'].every((program) => existsSync(join(path, program))))
const hasPostgres = installed !== undefined && spawnSync(join(installed, 'pg_dump'), ['--version']).status === 0

const OUTPUT = 'Me. Ünïcödé, "quotes"\nand lines'

type Rows = Map<string, Set<string>>

/** Puts something into most tables that users fill. */
async function fill({ client }: ServerProcess) {
  const component = await client.create('/components', { name: 'Greeter' })
  const dataset = await client.create(`/components/${component}/datasets`, { name: 'Questions' })
  await client.create(`/components/${component}/datasets/${dataset}/items`, { input: 'Who?', expected: 'Me' })
  await client.create(`/components/${component}/traces`, { name: 'greet', input: 'Who?', output: OUTPUT })
}

/** Creates components until it is stopped. */
function writeSteadily({ client }: ServerProcess) {
  const written: string[] = []
  let isStopped = false
  const ended = (async () => {
    while (!isStopped) written.push(await client.create('/components', { name: `written ${written.length}` }))
  })()
  const stop = async () => {
    isStopped = true
    await ended
  }
  return { written, stop }
}

/** Runs the blocks of the guide while the server is being written to, and compares what they restore with what it has. */
async function backUpAndRestore(server: ServerProcess, options: Restore): Promise<void> {
  await fill(server)
  const [backup = '', restore = ''] = blocksOf('operations', options.section)
  const load = writeSteadily(server)
  await waitFor('some writes', async () => load.written.length >= 20 || undefined)
  const sure = [...load.written]
  const run = { folder, environment: { PATH: `${bin}:${options.path}`, ...options.environment } }
  const taken = await paste('bash', [backup], run)
  const duringBackup = load.written.length - sure.length
  await load.stop()
  expect(taken.errors).toBe('')
  expect(duringBackup).toBeGreaterThan(0)
  const restored = await paste('bash', [restore], run)
  expect(restored.errors).toBe('')

  server.signal('SIGTERM')
  await server.ended
  const [before, after] = [await options.readSource(), await options.readRestored()]
  expect([...after.keys()]).toEqual([...before.keys()])
  const counts = [...after].map(([table, rows]) => ({ table, rows: rows.size }))
  expect(counts.filter(({ rows }) => rows > 0).length).toBeGreaterThan(5)
  for (const [table, rows] of after) {
    if (TRANSIENT.includes(table)) continue
    // Written while the backup was taken; what it has of these is complete below.
    const source = before.get(table) ?? new Set()
    expect({ table, unknown: [...rows].filter((row) => !source.has(row)) }).toEqual({ table, unknown: [] })
    if (!CHANGING.includes(table)) expect({ table, rows: rows.size }).toEqual({ table, rows: source.size })
  }

  const again = await startServer(options.restoredUrl, { folder, environment: options.environment })
  for (const id of sure) expect((await again.client.get(`/components/${id}`)).status).toBe(200)
  const [trace] = await again.client.list('/traces')
  expect((await again.client.get(`/traces/${trace?.['id']}`)).body).toMatchObject({ name: 'greet', output: OUTPUT })
  await again.kill()
}

type Restore = {
  section: 'backup-sqlite' | 'backup-postgres'
  restoredUrl: string
  path: string
  environment: Record<string, string>
  readSource(): Promise<Rows>
  readRestored(): Promise<Rows>
}

/** What the writes during the backup change. */
const CHANGING = ['components']

/** What servers change by themselves. */
const TRANSIENT = ['jobs']

describe('the commands for backup and restore', () => {
  it('restore every row of SQLite, with the secret key, while the server is written to', async () => {
    mkdirSync(join(folder, 'data'), { mode: 0o700 })
    const key = join(folder, 'data/touchstone.db-secret-key')
    writeFileSync(key, `${'0f'.repeat(32)}\n`, { mode: 0o600 })
    const server = await startServer('file:./data/touchstone.db', { folder })
    await backUpAndRestore(server, {
      section: 'backup-sqlite',
      restoredUrl: 'file:restored/touchstone.db',
      path: process.env['PATH'] ?? '',
      environment: {},
      readSource: async () => readSqlite(join(folder, 'data/touchstone.db')),
      readRestored: async () => readSqlite(join(folder, 'restored/touchstone.db')),
    })
    expect(readFileSync(join(folder, 'restored/touchstone.db-secret-key'), 'utf8')).toBe(readFileSync(key, 'utf8'))
  })

  it.skipIf(!hasPostgres)('restore every row of PostgreSQL (skipped where it has no pg_dump)', async () => {
    const postgres = await startPostgres({ fsync: 'off' }, installed)
    const url = await postgres.createDatabase('original')
    const restoredUrl = postgres.url('restored')
    const server = await startServer(url)
    try {
      await backUpAndRestore(server, {
        section: 'backup-postgres',
        restoredUrl,
        path: `${installed}:${process.env['PATH']}`,
        environment: { DATABASE_URL: url, RESTORED_URL: restoredUrl },
        readSource: () => readPostgres(url),
        readRestored: () => readPostgres(restoredUrl),
      })
    } finally {
      await server.kill()
      await postgres.stop()
    }
  })
})

function readSqlite(file: string): Rows {
  const db = new Database(file, { readonly: true })
  const tables = db.prepare<[], { name: string }>("select name from sqlite_master where type = 'table' order by name")
  return new Map(
    tables.all().map(({ name }) => [name, new Set(db.prepare(`select * from "${name}"`).all().map(withoutUse))]),
  )
}

/** When a key was last used changes with each request of this test. */
function withoutUse(row: unknown): string {
  return JSON.stringify({ ...Object(row), last_used_at: undefined })
}

async function readPostgres(url: string): Promise<Rows> {
  const client = new PostgresClient({ connectionString: url })
  await client.connect()
  const tables = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
  )
  const rows: Rows = new Map()
  for (const { name } of tables.rows) {
    const { rows: found } = await client.query<{ row: string }>(
      `select (to_jsonb(t) - 'last_used_at')::text as row from "${name}" t`,
    )
    rows.set(name, new Set(found.map(({ row }) => row)))
  }
  await client.end()
  return rows
}
