/** One real PostgreSQL for the whole run, shared by the projects of vitest.config.ts; tests create databases of their own in it. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { systemClock } from '../../src/base/clock.ts'
import { createLogger } from '../../src/base/log.ts'
import { distributeDatabase } from '../../src/storage/distribute-database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { createOnNodes, makeTemplate, startCitus } from './citus-cluster.ts'
import { startPostgres } from './postgres-server.ts'
import { COMPILED, compileProgram, makeFolder } from './server-process.ts'

type Databases = {
  postgresUrl: string
  /** The same, and in the stage on Citus the workers. */
  nodeUrls: string[]
  /** How the names of this run's databases begin. */
  databasePrefix: string
  /** Without rows, but migrated: a database of that server, and a file. They are copied and never opened. */
  migratedDatabase: string
  migratedFile: string
}

declare module 'vitest' {
  export interface ProvidedContext extends Databases {}
}

type Running = { databases: Databases; stop(): Promise<void> }

/** Each project loads this file again, but all of them run in one process. */
declare global {
  var testDatabases: { running: Promise<Running>; users: number } | undefined
}

/**
 * Tests that crash PostgreSQL start one of their own, so this one need not wait for the disk. Nor need it look for something to
 * clean up in hundreds of small databases, several times a second, while tests run, or compile queries of a few rows.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', jit: 'off' }

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  globalThis.testDatabases ??= { running: start(), users: 0 }
  const shared = globalThis.testDatabases
  shared.users += 1
  const { databases, stop } = await shared.running
  project.provide('postgresUrl', databases.postgresUrl)
  project.provide('nodeUrls', databases.nodeUrls)
  project.provide('databasePrefix', databases.databasePrefix)
  project.provide('migratedDatabase', databases.migratedDatabase)
  project.provide('migratedFile', databases.migratedFile)
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    globalThis.testDatabases = undefined
    await stop()
  }
}

async function start(): Promise<Running> {
  if (!existsSync(COMPILED)) await compileProgram()
  // Inherited by the workers and their threads, each of which would otherwise compile the program again.
  process.env['NODE_COMPILE_CACHE'] ??= COMPILED
  const databasePrefix = `test_${randomBytes(4).toString('hex')}_`
  const postgres = await openPostgres(databasePrefix)
  const { folder, remove } = makeFolder()
  const migratedDatabase = `${databasePrefix}migrated`
  const migratedFile = join(folder, 'migrated.db')
  const { nodeUrls } = postgres
  const [postgresUrl = ''] = nodeUrls
  const url = await createOnNodes(nodeUrls, migratedDatabase, 'template0')
  await migrateOnce(url)
  if (nodeUrls.length > 1) {
    await distributeOnce(url)
    await makeTemplate(nodeUrls, migratedDatabase)
  }
  await migrateOnce(`file:${migratedFile}`)
  return {
    databases: { postgresUrl, nodeUrls, databasePrefix, migratedDatabase, migratedFile },
    async stop() {
      remove()
      await postgres.stop()
    },
  }
}

/** A server of our own, or the one of TEST_DATABASE_URL, in which all databases of this run are dropped afterwards. */
async function openPostgres(prefix: string): Promise<{ nodeUrls: string[]; stop(): Promise<void> }> {
  if (process.env['TEST_ENGINE'] === 'citus') {
    const { nodes, stop } = await startCitus()
    return { nodeUrls: nodes.map((node) => node.url('postgres')), stop }
  }
  const given = process.env['TEST_DATABASE_URL']
  if (given === undefined) {
    const server = await startPostgres(SETTINGS)
    return { nodeUrls: [server.url('postgres')], stop: () => server.stop() }
  }
  return {
    nodeUrls: [given],
    async stop() {
      const names = await query(given, `select datname from pg_database where starts_with(datname, '${prefix}')`)
      for (const { datname } of names) await query(given, `drop database ${datname} with (force)`)
    },
  }
}

async function query(url: string, statement: string): Promise<Record<string, string>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function distributeOnce(url: string): Promise<void> {
  const log = createLogger('silent')
  const storage = { url, log, onFatal: () => {}, poolSizeMax: 2, statementTimeoutMs: 120_000 }
  await distributeDatabase({ storage, clock: systemClock(), size: 'any', onProgress: () => {} })
}

async function migrateOnce(url: string): Promise<void> {
  const log = createLogger('silent')
  const limits = { poolSizeMax: 2, statementTimeoutMs: 30_000 }
  const storage = await openStorage({ url, log, use: 'server', onFatal: () => {}, ...limits })
  try {
    await migrate(storage, systemClock())
    await storage.checkWritable()
  } finally {
    await storage.close()
  }
}
