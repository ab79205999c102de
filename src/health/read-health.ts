import { isAdminOfEveryWorkspace } from '../auth/installation-queries.ts'
import { type Clock, timestamp } from '../base/clock.ts'
import type { EventLoopUse } from '../base/event-loop-use.ts'
import { lowestIdAt } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { Queries } from '../storage/db.ts'
import type { SearchIndexState } from '../traces/search/index-state-queries.ts'
import { dayOf } from '../workspaces/quotas.ts'
import { findUsage } from '../workspaces/usage-queries.ts'
import { countArrivals, countJobsOfAnyWorkspace } from './health-queries.ts'

const ARRIVALS_WINDOW_SECONDS = 300
const ARRIVALS_MAX = 10_000

export type HealthDeps = {
  version: string
  storage: {
    readonly engine: string
    readSize(): Promise<number>
    readVersion(): Promise<string>
  }
  readSearchIndex(): Promise<SearchIndexState>
  startedAtMs: number
  eventLoop(): EventLoopUse
  worker(): 'running' | 'stalled' | 'none'
}

/** Cheap enough to be polled: a few sizes and counts, and nothing that grows with the stored data. */
export async function readHealth(q: Queries, clock: Clock, deps: HealthDeps, { workspaceId, userId }: Principal) {
  const now = clock.now()
  const seesAll = await isAdminOfEveryWorkspace(q, userId)
  const afterId = lowestIdAt(now - ARRIVALS_WINDOW_SECONDS * 1_000)
  const traces = await countArrivals(q, { workspaceId, afterId, max: ARRIVALS_MAX })
  const { spans: spansToday, storedBytes } = await findUsage(q, workspaceId, dayOf(clock))
  return {
    version: deps.version,
    checkedAt: timestamp(now),
    scope: seesAll ? 'installation' : 'application',
    jobs: await countJobsOfAnyWorkspace(q, seesAll ? undefined : workspaceId),
    ingest: { windowSeconds: ARRIVALS_WINDOW_SECONDS, traces, spansToday, storedBytes },
    installation: seesAll ? await readInstallation(deps) : null,
  }
}

async function readInstallation({ storage, readSearchIndex, startedAtMs, eventLoop, worker }: HealthDeps) {
  const { utilization, windowSeconds } = eventLoop()
  return {
    engine: storage.engine,
    engineVersion: await storage.readVersion(),
    databaseBytes: await storage.readSize(),
    searchIndex: await readSearchIndex(),
    process: {
      nodeVersion: process.versions.node,
      startedAt: timestamp(startedAtMs),
      memoryBytes: process.memoryUsage.rss(),
      eventLoopUtilization: utilization,
      windowSeconds,
      worker: worker(),
    },
  }
}
