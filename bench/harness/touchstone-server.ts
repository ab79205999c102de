/**
 * The server under test, started as `npm start` starts it, with a few commands beside it to fill it and to look inside.
 *
 * Usage: fork('touchstone-server.ts', [<database URL>])
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { startApp } from '../../src/app.ts'
import { chunksOf } from '../../src/base/event-loop.ts'
import { readConfig } from '../../src/config.ts'
import { asId, textRows } from '../../src/storage/dialect.ts'
import { serveParent } from './child.ts'
import { seededComponent } from './seeded-component.ts'

const SEED_CHUNK_ROWS = 5_000
const DELAY_RESOLUTION_MS = 1

const config = readConfig({ DATABASE_URL: process.argv[2], PORT: '0', TOUCHSTONE_LOG_LEVEL: 'warn' })
const app = await startApp({ config, serves: true, works: true })
const { storage } = app
const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })

const commands = {
  cpuMicros: async () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  apiKey: async () => app.firstStart.apiKey ?? '',
  countComponents: async () => {
    const query = storage.read.selectFrom('components').select((expression) => expression.fn.countAll().as('count'))
    return Number((await query.executeTakeFirstOrThrow()).count)
  },
  seedComponents,
  watchEventLoop: async () => {
    delays.reset()
    delays.enable()
  },
  /** The longest time for which nothing else could happen since `watchEventLoop`. */
  longestDelayMs: async () => {
    delays.disable()
    return Math.max(0, delays.max / 1e6 - DELAY_RESOLUTION_MS)
  },
  /** Waits until deleted things have really gone. */
  untilNoJobs: async () => {
    while (await storage.read.selectFrom('jobs').select('id').executeTakeFirst()) await delay(50)
  },
}

export type TouchstoneCommands = typeof commands

serveParent(Number(new URL(app.url).port), commands, () => app.close())

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
