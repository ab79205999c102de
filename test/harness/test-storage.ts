import { afterAll, beforeAll } from 'vitest'
import { createLogger } from '../../src/base/log.ts'
import { openStorage, type Storage } from '../../src/storage/storage.ts'
import { createSearchIndexer } from '../../src/traces/search/indexer.ts'
import { createTestDatabase, describeEngines, type Engine, type TestDatabase } from './each-engine.ts'

const EMBEDDED = { readWorkerEntry: new URL('../../src/read-worker-tasks.ts', import.meta.url), createSearchIndexer }

export function openTestStorage(url: string, use: 'server' | 'command' = 'server'): Promise<Storage> {
  const log = createLogger('silent')
  const limits = { poolSizeMax: 5, statementTimeoutMs: 120_000 }
  return openStorage({ url, log, use, onFatal: () => {}, embedded: EMBEDDED, ...limits })
}

/** Runs the tests once per engine on an empty, migrated database, without a server. */
export function describeEachStorage(name: string, tests: (storage: () => Storage, engine: Engine) => void): void {
  describeEngines(name, (engine) => {
    let storage: Storage | undefined
    let database: TestDatabase | undefined
    beforeAll(async () => {
      database = await createTestDatabase(engine, 'migrated')
      storage = await openTestStorage(database.url)
    })
    afterAll(async () => {
      await storage?.close()
      database?.remove()
    })
    tests(() => {
      if (!storage) throw new Error('the database is open only while a test runs')
      return storage
    }, engine)
  })
}
