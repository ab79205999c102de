import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/base/log.ts'
import type { ReadingWork } from '../../src/storage/db.ts'
import { ReadingApart } from '../../src/storage/sqlite/reading-apart.ts'
import { makeFolder, waitFor } from '../harness/server-process.ts'
import type * as works from './reading-apart-works.ts'

const WORKS = new URL('./reading-apart-works.ts', import.meta.url)

/** By name: the module itself must be loaded by the thread alone. */
function named<Name extends keyof typeof works>(name: Name): (typeof works)[Name]
function named(name: string): Pick<ReadingWork<never, never>, 'name'> {
  return { name }
}

describe('reading apart', () => {
  const { signal } = new AbortController()
  let place: ReturnType<typeof makeFolder>
  let database: Database.Database
  let apart: ReadingApart

  beforeEach(() => {
    place = makeFolder()
    const file = join(place.folder, 'numbers.db')
    database = new Database(file)
    database.exec('pragma journal_mode = wal; create table numbers (value); insert into numbers values (2), (3)')
    apart = new ReadingApart({ file, thread: WORKS, log: createLogger('silent') })
  })
  afterEach(async () => {
    await apart.stop()
    database.close()
    place.remove()
  })

  it('sees what has been committed, before and after it began', async () => {
    expect(await apart.run(named('addUp'), { factor: 10 }, signal)).toBe(50)
    database.exec('insert into numbers values (4)')
    expect(await apart.run(named('addUp'), { factor: 1 }, signal)).toBe(9)
  })

  it('cannot write', async () => {
    await expect(apart.run(named('write'), null, signal)).rejects.toMatchObject({ status: 503 })
    expect(await apart.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
  })

  it('tells what went wrong to whom it concerns, and goes on', async () => {
    const [failed, added] = await Promise.allSettled([
      apart.run(named('fail'), 'this one', signal),
      apart.run(named('addUp'), { factor: 1 }, signal),
    ])
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'this one' } })
    expect(added).toMatchObject({ value: 5 })
  })

  it('refuses work that it does not know', async () => {
    const unknown: ReadingWork<null, null> = { name: 'unknown', run: async () => null }
    await expect(apart.run(unknown, null, signal)).rejects.toThrow('nobody can do unknown apart')
  })

  it('lets others work while one waits, and tells it when nobody wants it any more', async () => {
    const over = new AbortController()
    const waiting = apart.run(named('wait'), null, over.signal)
    expect(await apart.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
    over.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    await expect(apart.run(named('wait'), null, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
    expect(await apart.run(named('aborted'), null, signal)).toBe(2)
  })

  it('tells parts in their order, each when the one before has been taken', async () => {
    const taken: number[] = []
    let isBusy = false
    const take = async ({ number }: { number: number }) => {
      expect(isBusy).toBe(false)
      isBusy = true
      // Time for the next one to come too early.
      await apart.run(named('addUp'), { factor: 1 }, signal)
      taken.push(number)
      isBusy = false
    }
    expect(await apart.run(named('count'), { last: 5 }, signal, take)).toBe(5)
    expect(taken).toEqual([1, 2, 3, 4, 5])
  })

  it('stops telling when what it told could not be taken, and says why', async () => {
    let taken = 0
    const take = async () => {
      taken += 1
      if (taken === 2) throw new Error('enough')
    }
    await expect(apart.run(named('count'), { last: 5 }, signal, take)).rejects.toThrow('enough')
    expect(await apart.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
    expect(taken).toBe(2)
  })

  it('is not waited for when nobody wants more, but for what is being taken, and ends by itself', async () => {
    const over = new AbortController()
    let isTaken = false
    const take = async () => {
      over.abort()
      await apart.run(named('addUp'), { factor: 1 }, signal)
      isTaken = true
    }
    await apart.run(named('count'), { last: 5 }, over.signal, take).catch(() => {})
    expect(isTaken).toBe(true)
    expect(await apart.run(named('aborted'), null, signal)).toBe(1)
  })

  it('that breaks down fails what is under way, and begins anew with what comes next', async () => {
    const others = apart.run(named('wait'), null, signal)
    const broken = apart.run(named('breakDown'), null, signal)
    for (const piece of [others, broken]) await expect(piece).rejects.toMatchObject({ status: 503 })
    expect(await apart.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
  })

  it('that is stopped leaves nobody waiting', async () => {
    const waiting = expect(apart.run(named('wait'), null, signal)).rejects.toMatchObject({ status: 503 })
    await apart.stop()
    await waiting
    await expect(apart.run(named('addUp'), { factor: 1 }, signal)).rejects.toMatchObject({ status: 503 })
  })

  it('gives back what it holds when there is nothing to do, and comes again', async () => {
    const brief = new ReadingApart({ file: database.name, thread: WORKS, log: createLogger('silent'), idleMsMax: 1 })
    expect(await brief.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
    await waitFor('the thread to end', async () => !brief.isRunning || undefined)
    expect(await brief.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
    await brief.stop()
  })
})
