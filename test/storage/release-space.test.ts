// @module-tag sql
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { migrate } from '../../src/storage/migrate.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { describeEachStorage, openTestStorage } from '../harness/test-storage.ts'
import { until } from '../harness/wait-for.ts'

const ROWS = 2_000
const KEPT = 50
const TEXT = 'x'.repeat(8_000)

async function fill(storage: Storage): Promise<void> {
  await storage.transaction(async (tx) => {
    for (let place = 0; place < ROWS; place += 1) {
      const name = `row ${String(place).padStart(4, '0')}`
      await tx.insertInto('instance_settings').values({ name, value: TEXT, expires_at: null }).execute()
    }
  })
}

async function deleteMost(storage: Storage): Promise<void> {
  const last = `row ${String(ROWS - KEPT).padStart(4, '0')}`
  await storage.transaction((tx) => tx.deleteFrom('instance_settings').where('name', '<', last).execute())
}

async function readKept(storage: Storage): Promise<unknown[]> {
  return storage.read.selectFrom('instance_settings').select('value').where('name', 'like', 'row %').execute()
}

describe('the file of an embedded database', () => {
  let database: TestDatabase
  let file: string
  const open: Storage[] = []

  beforeEach(async () => {
    database = await createTestDatabase('sqlite')
    file = database.url.slice('file:'.length)
  })

  afterEach(async () => {
    for (const storage of open.splice(0)) await storage.close()
    database.remove()
  })

  async function openHere(use: 'server' | 'command' = 'server'): Promise<Storage> {
    const storage = await openTestStorage(database.url, use)
    open.push(storage)
    return storage
  }

  async function closeAll(): Promise<void> {
    for (const storage of open.splice(0)) await storage.close()
  }

  function textOf(pragma: string): string {
    const direct = new Database(file, { readonly: true })
    const value = String(direct.pragma(pragma, { simple: true }))
    direct.close()
    return value
  }

  function numberOf(pragma: string): number {
    return Number(textOf(pragma))
  }

  /** As versions before this one made it. */
  function makeOlderFile(): void {
    const direct = new Database(file)
    direct.pragma('journal_mode = WAL')
    direct.exec("create table older (position integer primary key, name text); insert into older values (7, 'kept')")
    direct.close()
  }

  it('shrinks during use when most of it was deleted, and the rest can be read', async () => {
    const storage = await openHere()
    await migrate(storage, systemClock())
    await fill(storage)
    await closeAll()
    const full = statSync(file).size
    const again = await openHere()
    await deleteMost(again)
    const reads: number[] = []
    const release = again.releaseSpace()
    for (let turn = 0; turn < 20; turn += 1) reads.push((await readKept(again)).length)
    await release
    await until(() => expect(statSync(file).size).toBeLessThan(full / 5))
    expect(new Set(reads)).toEqual(new Set([KEPT]))
    expect(await readKept(again)).toEqual(Array.from({ length: KEPT }, () => ({ value: TEXT })))
    await closeAll()
    expect(textOf('integrity_check')).toBe('ok')
    expect(numberOf('freelist_count')).toBeLessThan(100)
  })

  it('does not change when hardly anything in it is unused', async () => {
    const storage = await openHere()
    await migrate(storage, systemClock())
    await fill(storage)
    await storage.transaction((tx) => tx.deleteFrom('instance_settings').where('name', '=', 'row 0001').execute())
    const free = () => numberOf('freelist_count')
    const before = free()
    await storage.releaseSpace()
    expect(before).toBeGreaterThan(0)
    expect(free()).toBe(before)
  })

  it('of an older version is rewritten once by the server, with everything in it, and by no command', async () => {
    makeOlderFile()
    expect(numberOf('auto_vacuum')).toBe(0)
    await openHere('command')
    await closeAll()
    expect(numberOf('auto_vacuum')).toBe(0)
    await openHere('server')
    await closeAll()
    expect(numberOf('auto_vacuum')).toBe(2)
    const direct = new Database(file, { readonly: true })
    expect(direct.prepare('select * from older').all()).toEqual([{ position: 7, name: 'kept' }])
    direct.close()
  })

  it('that another process writes to at the start does not change, and the server starts', async () => {
    makeOlderFile()
    const other = new Database(file)
    other.exec('begin immediate')
    await openHere('server')
    other.exec('rollback')
    other.close()
    await closeAll()
    expect(numberOf('auto_vacuum')).toBe(0)
  })
})

describeEachStorage('releaseSpace', (storage) => {
  it('may be called at any time, also during writes', async () => {
    await fill(storage())
    await deleteMost(storage())
    const writes = Array.from({ length: 30 }, (_, place) =>
      storage().transaction((tx) =>
        tx
          .insertInto('instance_settings')
          .values({ name: `other ${place}`, value: TEXT, expires_at: null })
          .execute(),
      ),
    )
    await Promise.all([storage().releaseSpace(), storage().releaseSpace(), ...writes])
    expect(await readKept(storage())).toHaveLength(KEPT)
    const others = await storage()
      .read.selectFrom('instance_settings')
      .select('name')
      .where('name', 'like', 'other %')
      .execute()
    expect(others).toHaveLength(30)
  })
})
