import { statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock, timestamp } from '../../src/base/clock.ts'
import { createdAtOf, idGenerator } from '../../src/base/ids.ts'
import { insertComponent, listComponents } from '../../src/components/component-queries.ts'
import type { Db } from '../../src/storage/db.ts'
import { migrate } from '../../src/storage/migrate.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const clock = systemClock()
const newId = idGenerator(clock)
const WORKSPACE = newId()

describe('an embedded database', () => {
  let database: TestDatabase | undefined
  let storage: Storage | undefined

  beforeEach(async () => {
    database = await createTestDatabase('sqlite')
    storage = await openTestStorage(database.url)
    await migrate(storage, clock)
    const now = timestamp(clock.now())
    const workspace = {
      id: WORKSPACE,
      name: 'w',
      description: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    }
    await storage.transaction((tx) => tx.insertInto('workspaces').values(workspace).execute())
  })

  afterEach(async () => {
    await storage?.close()
    database?.remove()
  })

  function opened(): { db: Storage; url: string } {
    if (!storage || !database) throw new Error('the database is open only while a test runs')
    return { db: storage, url: database.url }
  }

  it('finishes the writes that came before it is closed, and rejects those that come later', async () => {
    const { db, url } = opened()
    // With a read worker, whose end closing waits for.
    await db.bulk({ application: WORKSPACE, from: 'request' }).selectFrom('components').select('id').execute()
    const before = Array.from({ length: 300 }, () => addComponent(db))
    let isClosed = false
    const closing = db.close().then(() => {
      isClosed = true
    })
    const rejections: Promise<void>[] = []
    // An error after a commit would be one that no one handles, which fails this run.
    while (!isClosed) {
      rejections.push(expect(addComponent(db)).rejects.toThrow('The database is being closed'))
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    await closing
    storage = undefined
    await Promise.all(rejections)
    expect(rejections.length).toBeGreaterThan(0)
    const ids = await Promise.all(before)
    const reopened = await openTestStorage(url, 'command')
    expect(await pageOf(reopened, 0, 1_000)).toEqual(ids.toReversed())
    await reopened.close()
  })

  it('lists rows written since the last list, also by another process', async () => {
    const { db, url } = opened()
    const ids = [await addComponent(db), await addComponent(db), await addComponent(db)]
    expect(await pageOf(db, 1)).toEqual([ids[1], ids[0]])
    expect(await pageOf(db, 1)).toEqual([ids[1], ids[0]])
    const newest = await addComponent(db)
    expect(await pageOf(db, 1)).toEqual([ids[2], ids[1], ids[0]])
    const command = await openTestStorage(url, 'command')
    await addComponent(command)
    await command.close()
    expect(await pageOf(db, 1)).toEqual([newest, ids[2], ids[1], ids[0]])
  })

  it('skips and repeats nothing from page to page', async () => {
    const { db } = opened()
    const ids: string[] = []
    for (let count = 0; count < 23; count += 1) ids.unshift(await addComponent(db))
    const pages: string[][] = []
    for (let offset = 0; offset < 25; offset += 5) pages.push(await pageOf(db, offset, 5))
    expect(pages.flat()).toEqual(ids)
    expect(await pageOf(db, 10, 5)).toEqual(ids.slice(10, 15))
    expect(await pageOf(db, 12, 3)).toEqual(ids.slice(12, 15))
  })

  it('checkpoints its log during writes, so that the log does not grow forever', { tags: 'deep' }, async () => {
    const { db, url } = opened()
    const log = `${url.slice('file:'.length)}-wal`
    const long = 'x'.repeat(1 << 20)
    for (let megabytes = 0; megabytes < 36; megabytes += 1) await addComponent(db, long)
    expect(statSync(log).size).toBeGreaterThan(32 << 20)
    // Each commit after the checkpoint may restart the log, which truncates it.
    while (statSync(log).size > 32 << 20) await addComponent(db)
    expect(await pageOf(db, 0, 1)).toHaveLength(1)
  })
})

async function addComponent(db: Db, description: string | null = null): Promise<string> {
  const id = newId()
  const component = { workspaceId: WORKSPACE, id, name: 'c', description, createdAt: createdAtOf(id) }
  await db.transaction((tx) => insertComponent(tx, component))
  return id
}

async function pageOf(db: Db, offset: number, limit = 50): Promise<string[]> {
  const { rows } = await listComponents(db.read, { workspaceId: WORKSPACE, limit, offset })
  return rows.map(({ id }) => id)
}
