import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock, timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { countCandidates } from '../../src/traces/search/candidate-queries.ts'
import { markOf } from '../../src/traces/search/list-ids.ts'
import { insertWorkspace } from '../../src/workspaces/workspace-queries.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { until } from '../harness/wait-for.ts'
import { storeTrace } from '../traces/stored-traces.ts'

const clock = systemClock()
const newId = idGenerator(clock)
let database: TestDatabase
let storage: Storage

beforeEach(async () => {
  database = await createTestDatabase('sqlite', 'migrated')
  storage = await openTestStorage(database.url)
})
afterEach(async () => {
  await storage.close()
  database.remove()
})

async function store(names: readonly string[], workspaceId = newId()): Promise<string> {
  const createdAt = timestamp(clock.now())
  await storage.transaction((tx) => insertWorkspace(tx, { id: workspaceId, name: 'w', description: null, createdAt }))
  await storeTrace(storage, { workspaceId, atMs: clock.now(), spans: names.map((name) => ({ name })) })
  return workspaceId
}

it('the search index returns and counts only the spans of one application', async () => {
  const own = await store(['a needle', 'hay'])
  // An attacker who knows how applications are marked writes the mark of another one.
  const other = await store(Array.from({ length: 50 }, () => `a needle ${markOf(own)}`))
  const named = (workspaceId: string) =>
    countCandidates(
      storage.search({ application: workspaceId, from: 'request' }),
      { workspaceId, texts: ['needle'] },
      1_000,
    )
  await until(async () => expect(await named(other)).toBe(50))
  expect(await named(own)).toBe(1)
})
