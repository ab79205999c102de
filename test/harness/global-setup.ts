/** One real PostgreSQL for the whole run; each test file makes databases of its own in it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { systemClock } from '../../src/base/clock.ts'
import { createLogger } from '../../src/base/log.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { startPostgres } from './postgres-server.ts'
import { COMPILED, makeFolder, startServer } from './server-process.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    /** Without rows, but migrated: a database of that server, and a file. Nobody opens them; they are copied. */
    migratedDatabase: string
    migratedFile: string
  }
}

/**
 * Tests that crash PostgreSQL start one of their own, so this one need not wait for the disk. Nor need it look for something to
 * clean up in hundreds of small databases, several times a second, while tests run.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' }
const MIGRATED = 'migrated'

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(COMPILED)) await compileOnce()
  // Inherited by the workers and their threads, each of which would otherwise compile the program anew.
  process.env['NODE_COMPILE_CACHE'] ??= COMPILED
  const server = await startPostgres(SETTINGS)
  const { folder, remove } = makeFolder()
  const file = join(folder, 'migrated.db')
  await migrateOnce(await server.createDatabase(MIGRATED))
  await migrateOnce(`file:${file}`)
  project.provide('postgresUrl', server.url('postgres'))
  project.provide('migratedDatabase', MIGRATED)
  project.provide('migratedFile', file)
  return async () => {
    remove()
    await server.stop()
  }
}

/** Only a server that ends by itself keeps what it has compiled, and most servers of tests are killed. */
async function compileOnce(): Promise<void> {
  const { folder, remove } = makeFolder()
  const server = await startServer(`file:${join(folder, 'test.db')}`)
  server.signal('SIGTERM')
  await server.ended
  remove()
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
