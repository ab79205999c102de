import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { MIGRATIONS, type Migration, migrate } from '../../src/storage/migrate.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createTestDatabase, ENGINES } from '../harness/each-engine.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const later: Migration = { name: '9999-later', statements: () => ['create table later (id text primary key)'] }

describe.each(ENGINES)('migrate (%s)', (engine) => {
  const opened: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0)) await close()
  })

  async function open(): Promise<Storage> {
    const database = await createTestDatabase(engine)
    const storage = await openTestStorage(database.url)
    opened.push(async () => {
      await storage.close()
      database.remove()
    })
    return storage
  }

  it('applies what is missing, once, and tells what that was', async () => {
    const storage = await open()
    const all = MIGRATIONS.map(({ name }) => name)
    expect(await migrate(storage, systemClock())).toEqual(all)
    expect(await migrate(storage, systemClock())).toEqual([])
    expect(await migrate(storage, systemClock(), [...MIGRATIONS, later])).toEqual(['9999-later'])
  })

  it('refuses a database that a newer program has written, and leaves it as it is', async () => {
    const storage = await open()
    await migrate(storage, systemClock(), [...MIGRATIONS, later])
    await expect(migrate(storage, systemClock())).rejects.toThrow(/newer Touchstone \(it has migration 9999-later\)/)
    const { rows } = await sql`select * from later`.execute(storage.read)
    expect(rows).toEqual([])
  })

  it('refuses to go on when an applied migration was edited', async () => {
    const storage = await open()
    await migrate(storage, systemClock(), [later])
    const edited = { ...later, statements: () => ['create table later (id text primary key, more text)'] }
    await expect(migrate(storage, systemClock(), [edited])).rejects.toThrow(/9999-later was changed after/)
  })

  it('leaves the old schema whole when a migration fails in the middle', async () => {
    const storage = await open()
    const broken: Migration = {
      name: '9998-broken',
      statements: () => ['create table half (id text)', 'create nonsense'],
    }
    await expect(migrate(storage, systemClock(), [...MIGRATIONS, broken])).rejects.toThrow()
    await expect(sql`select * from half`.execute(storage.read)).rejects.toThrow()
    expect(await migrate(storage, systemClock())).toEqual(MIGRATIONS.map(({ name }) => name))
  })

  it('lets two processes start on an empty database at once', async () => {
    const storage = await open()
    const both = await Promise.all([migrate(storage, systemClock()), migrate(storage, systemClock())])
    expect(both.flat()).toEqual(MIGRATIONS.map(({ name }) => name))
  })
})
