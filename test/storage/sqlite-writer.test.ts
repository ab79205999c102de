import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Queries } from '../../src/storage/db.ts'
import { SqliteLogFile, SqliteWriter } from '../../src/storage/sqlite/writer.ts'

/** Short, for tests that wait for it. What they say holds for any. */
const SHORT_MS = 100

describe('the writer of an embedded database', () => {
  let folder = ''
  let database: Database.Database
  /** What the disk does when it is waited for. */
  let disk: () => Promise<void>
  let between: () => Promise<void> | void
  let fatal: unknown[]
  let overdue: string[]
  let writer: SqliteWriter

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-writer-'))
    database = new Database(join(folder, 'a.db'))
    database.pragma('journal_mode = WAL')
    database.exec('create table notes (text text unique)')
    disk = async () => {}
    between = () => {}
    fatal = []
    overdue = []
    writer = new SqliteWriter(database, {
      // A busy machine must not fail a test.
      workMsMax: 120_000,
      onOverdue: (statement) => overdue.push(statement),
      toDisk: () => disk(),
      afterCommit: () => between(),
      onFatal: (error) => fatal.push(error),
    })
  })

  afterEach(() => {
    database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const runShortly = (work: (tx: Queries) => Promise<unknown>) => writer.run(work, '', SHORT_MS)
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

  it('resolves no call before its commit is on the disk', async () => {
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

  it('rejects all calls with 503 and reports a fatal error when the disk fails', async () => {
    const failure = Object.assign(new Error('private'), { code: 'EIO' })
    disk = () => Promise.reject(failure)
    const ends = await Promise.allSettled([writer.run(note('a')), writer.run(note('b'))])
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: { status: 503, cause: failure } })
    expect(fatal).toEqual([failure])
  })

  it('a call that fails itself gets its own error, even if the disk fails for the others', async () => {
    disk = () => Promise.reject(new Error('private'))
    const ends = await Promise.allSettled([writer.run(note('a')), writer.run(note('a'))])
    expect(ends[1]).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } })
  })

  it('a transaction that waits forever is rolled back and reported, and the others continue', async () => {
    const { passed: never } = gate()
    const stuck = runShortly(async (tx) => {
      await note('stuck')(tx)
      await never
    })
    const others = ['a', 'b'].map((text) => writer.run(note(text)))
    await expect(stuck).rejects.toMatchObject({ status: 503 })
    await Promise.all(others)
    expect(notes()).toEqual(['a', 'b'])
    expect(overdue).toHaveLength(1)
    expect(overdue[0]).toMatch(/insert into notes/)
  })

  it('work that was given up writes nothing into the transaction of others', async () => {
    const { passed, open } = gate()
    const { passed: written, open: write } = gate()
    let late: unknown
    const stuck = runShortly(async (tx) => {
      await passed
      late = await note('late')(tx).catch((error: unknown) => error)
      write()
    })
    await expect(stuck).rejects.toMatchObject({ status: 503 })
    await writer.run(async (tx) => {
      await note('a')(tx)
      open()
      await written
    })
    expect(late).toMatchObject({ status: 503 })
    expect(notes()).toEqual(['a'])
  })

  it('a transaction that runs one query after the other without a pause is aborted at its deadline, too', async () => {
    const endless = runShortly(async (tx) => {
      for (;;) await sql`select 1`.execute(tx)
    })
    const other = writer.run(note('a'))
    await expect(endless).rejects.toMatchObject({ status: 503 })
    await other
    expect(notes()).toEqual(['a'])
  })

  it('a transaction that catches the error of its deadline is rolled back', async () => {
    const endless = runShortly(async (tx) => {
      await note('kept')(tx)
      for (;;) {
        const isOver = await sql`select 1`.execute(tx).then(
          () => false,
          () => true,
        )
        if (isOver) return
      }
    })
    await expect(endless).rejects.toMatchObject({ status: 503 })
    expect(notes()).toEqual([])
  })

  it('applications take turns, and another one waits for one piece of work and one commit', async () => {
    const order: string[] = []
    let commits = 0
    disk = async () => {
      commits += 1
    }
    /** Longer than a turn. */
    const slow = (text: string) => async (tx: Queries) => {
      const until = performance.now() + 30
      while (performance.now() < until) await sql`select 1`.execute(tx)
      order.push(text)
    }
    const run = (application: string, text: string) => writer.run(slow(text), application)
    await Promise.all([
      run('greedy', 'a'),
      run('greedy', 'b'),
      run('greedy', 'c'),
      run('modest', 'd').then(() => order.push(`d after ${commits} commits`)),
    ])
    expect(order).toEqual(['a', 'd', 'd after 2 commits', 'b', 'c'])
  })

  it('the work of one application shares a commit for any time, while no other waits', async () => {
    let commits = 0
    disk = async () => {
      commits += 1
    }
    const slow = async (tx: Queries) => {
      const until = performance.now() + 30
      while (performance.now() < until) await sql`select 1`.execute(tx)
    }
    await Promise.all(['a', 'a', 'a'].map((application) => writer.run(slow, application)))
    expect(commits).toBe(1)
  })

  it('writes nothing during a checkpoint, and continues after it', async () => {
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
  it('is synced to the disk, from the first commit on and again after it restarted', async () => {
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
