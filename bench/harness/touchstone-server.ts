/**
 * The server under test, started like `npm start`, with commands to seed and inspect it.
 *
 * Usage: fork('touchstone-server.ts', [<database URL>])
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { startApp } from '../../src/app.ts'
import { createApiKey } from '../../src/auth/api-keys/create-api-key.ts'
import { insertMember } from '../../src/auth/members/member-queries.ts'
import { systemClock, timestamp } from '../../src/base/clock.ts'
import { chunksOf } from '../../src/base/event-loop.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { readConfig } from '../../src/config.ts'
import { asId, textRows } from '../../src/storage/dialect.ts'
import { searchFileOf } from '../../src/traces/search/sqlite-index.ts'
import { insertWorkspace } from '../../src/workspaces/workspace-queries.ts'
import { serveParent } from './child.ts'
import { cpuMicrosOf } from './own-threads.ts'
import { type SeededTraces, seedTraces } from './seed-traces.ts'
import { seededComponent } from './seeded-component.ts'

const SEED_CHUNK_ROWS = 5_000
const DELAY_RESOLUTION_MS = 1

const INDEX_THREAD = 'indexer-thread.ts'
/** A fixed key, so that several runs can use the same database. */
const API_KEY = 'the-key-of-the-benchmark-0123456789'

const config = readConfig({
  DATABASE_URL: process.argv[2],
  PORT: '0',
  TOUCHSTONE_LOG_LEVEL: process.argv[3] ?? 'warn',
  TOUCHSTONE_OTLP_GRPC_PORT: 'off',
  TOUCHSTONE_API_KEY: API_KEY,
  // One key sends all requests of the benchmark.
  TOUCHSTONE_REQUESTS_PER_SECOND: '1000000',
})
const app = await startApp({ config, serves: true, works: true })
const { storage } = app
const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })

const commands = {
  cpuMicros: async () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  /** The CPU time of the thread that writes the search index, which is part of `cpuMicros`. */
  indexCpuMicros: () => cpuMicrosOf(INDEX_THREAD),
  /** The memory of the process: objects, buffers, and the rest, which is the program, its threads and the database. */
  memory: async () => process.memoryUsage(),
  apiKey: async () => API_KEY,
  newApplication,
  countComponents: async () => {
    const query = storage.read.selectFrom('components').select((expression) => expression.fn.countAll().as('count'))
    return Number((await query.executeTakeFirstOrThrow()).count)
  },
  seedComponents,
  seedTraces: async (seeded: SeededTraces) => seedTraces(storage, seeded),
  countSpans: async () => {
    const query = storage.read.selectFrom('spans').select((expression) => expression.fn.countAll().as('count'))
    return Number((await query.executeTakeFirstOrThrow()).count)
  },
  untilIndexed,
  watchEventLoop: async () => {
    delays.reset()
    delays.enable()
  },
  /** The longest time for which the event loop was blocked since `watchEventLoop`. */
  longestDelayMs: async () => {
    delays.disable()
    return Math.max(0, delays.max / 1e6 - DELAY_RESOLUTION_MS)
  },
  /** Waits until deleted rows are purged. */
  untilNoJobs: async () => {
    while (await storage.read.selectFrom('jobs').select('id').executeTakeFirst()) await delay(50)
  },
}

export type TouchstoneCommands = typeof commands

serveParent(Number(new URL(app.url).port), commands, () => app.close())

/** Another application of the same user; returns a key of it. */
async function newApplication(): Promise<string> {
  const clock = systemClock()
  const newId = idGenerator(clock)
  const { id: userId } = await storage.read.selectFrom('users').select('id').executeTakeFirstOrThrow()
  const workspaceId = newId()
  const createdAt = timestamp(clock.now())
  const { key } = await storage.transaction(async (tx) => {
    await insertWorkspace(tx, { id: workspaceId, name: 'Another', description: null, createdAt })
    await insertMember(tx, { workspaceId, userId, role: 'owner', createdAt })
    return createApiKey(tx, { clock, newId }, { workspaceId, createdBy: userId, name: 'Another', expiresAt: null })
  })
  return key
}

/** Waits until the search index is complete; on PostgreSQL it always is. */
async function untilIndexed(): Promise<void> {
  if (storage.engine === 'postgres') return
  const [last] = await storage.read
    .selectFrom('spans')
    .select('position')
    .orderBy('position', 'desc')
    .limit(1)
    .execute()
  const wanted = last?.position ?? 0
  for (;;) {
    await delay(50)
    if (indexedUntil(searchFileOf(storage.location)) >= wanted) return
  }
}

function indexedUntil(file: string): number {
  try {
    const index = new Database(file, { readonly: true, timeout: 5_000 })
    const progress = index.prepare<unknown[], { position: number }>('select position from progress').get()
    index.close()
    return progress?.position ?? 0
  } catch {
    // The thread has not created it yet.
    return 0
  }
}

/** Fills the first application with that many components, the same ones in every run. */
async function seedComponents(count: number): Promise<void> {
  const { id: workspaceId } = await storage.read.selectFrom('workspaces').select('id').executeTakeFirstOrThrow()
  for (const chunk of chunksOf([...Array(count).keys()], SEED_CHUNK_ROWS)) {
    await storage.transaction(async (tx) => {
      const rows = textRows(
        tx,
        ['id', 'name', 'created_at'],
        chunk.map((place) => {
          const { id, name, createdAt } = seededComponent(place)
          return [id, name, createdAt]
        }),
      )
      const createdAt = storage.engine === 'postgres' ? sql`created_at::timestamptz` : sql`created_at`
      await sql`insert into components (workspace_id, id, name, description, created_at, updated_at)
        select ${workspaceId}, ${asId(tx, 'id')}, name, 'Answers the questions of customers, with citations',
          ${createdAt}, ${createdAt} from ${rows} as seeds`.execute(tx)
    })
  }
}
