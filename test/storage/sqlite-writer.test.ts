import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Queries } from '../../src/storage/db.ts'
import { SqliteLogFile } from '../../src/storage/sqlite-log-file.ts'
import { SqliteWriter } from '../../src/storage/sqlite-writer.ts'

describe('the writer of an embedded database', () => {
  let folder = ''
  let database: Database.Database
  /** What the disk does when it is waited for. */
  let disk: () => Promise<void>
  let between: () => Promise<void> | void
  let fatal: unknown[]
  let writer: SqliteWriter

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-writer-'))
    database = new Database(join(folder, 'a.db'))
    database.pragma('journal_mode = WAL')
    database.exec('create table notes (text text unique)')
    disk = async () => {}
    between = () => {}
    fatal = []
    writer = new SqliteWriter(database, {
      toDisk: () => disk(),
      afterCommit: () => between(),
      onFatal: (error) => fatal.push(error),
    })
  })

  afterEach(() => {
    database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const note = (text: string) => (tx: Queries) => sql`insert into notes values (${text})`.execute(tx)
  const notes = () => database.prepare('select text from notes order by text').pluck().all()
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0))
  const gate = () => {
    let open = () => {}
    const passed = new Promise<void>((resolve) => {
      open = resolve
    })
    return { passed, open }
  }

  it('answers nobody before what was committed is on the disk', async () => {
    const { passed, open } = gate()
    let waits = 0
    disk = () => {
      waits += 1
      return passed
    }
    const answered: string[] = []
    const all = ['a', 'b'].map((text) => writer.run(note(text)).then(() => answered.push(text)))
    while (waits === 0) await settle()
    expect(notes()).toEqual(['a', 'b'])
    expect(answered).toEqual([])
    open()
    await Promise.all(all)
    expect(answered).toEqual(['a', 'b'])
    expect(waits).toBe(1)
  })

  it('tells everybody that it failed when the disk does, and that nobody can know what is stored', async () => {
    const failure = Object.assign(new Error('private'), { code: 'EIO' })
    disk = () => Promise.reject(failure)
    const ends = await Promise.allSettled([writer.run(note('a')), writer.run(note('b'))])
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: { status: 503, cause: failure } })
    expect(fatal).toEqual([failure])
  })

  it('a piece that failed on its own is told so, whatever the disk does to the others', async () => {
    disk = () => Promise.reject(new Error('private'))
    const ends = await Promise.allSettled([writer.run(note('a')), writer.run(note('a'))])
    expect(ends[1]).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } })
  })

  it('writes nothing while the log is being folded back, and goes on behind it', async () => {
    const { passed, open } = gate()
    between = () => passed
    await writer.run(note('a'))
    const second = writer.run(note('b'))
    await settle()
    expect(notes()).toEqual(['a'])
    open()
    await second
    expect(notes()).toEqual(['a', 'b'])
  })
})

describe('the log of an embedded database', () => {
  it('is brought to the disk, from the first commit on and again after it began anew', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-log-'))
    const file = join(folder, 'a.db')
    const log = new SqliteLogFile(file)
    try {
      // There is none yet.
      await log.sync()
      const database = new Database(file)
      database.pragma('journal_mode = WAL')
      database.exec('create table notes (text)')
      await log.sync()
      database.pragma('wal_checkpoint(TRUNCATE)')
      database.exec("insert into notes values ('kept')")
      await log.sync()
      expect(readFileSync(`${file}-wal`).includes('kept')).toBe(true)
      database.close()
    } finally {
      log.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('that cannot be brought to the disk is an error', async () => {
    const broken = new SqliteLogFile('/dev/null/a.db')
    await expect(broken.sync()).rejects.toMatchObject({ code: 'ENOTDIR' })
  })
})
