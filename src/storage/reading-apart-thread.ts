/** The thread's side of `ReadingApart`: does the work that it is told to, on a connection that can only read. */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { giveWay } from '../base/give-way.ts'
import { failureOf } from '../base/thread-failure.ts'
import type { ReadingWork } from './db.ts'
import type { ApartAsked, ApartTold } from './reading-apart.ts'
import { queriesOn } from './sqlite-connection.ts'

export function doApart(works: readonly ReadingWork<never, unknown>[]): void {
  giveWay()
  const file: string = workerData
  const database = new Database(file, { readonly: true, timeout: 5_000 })
  database.pragma('cache_size = -8000')
  const q = queriesOn(database)
  const running = new Map<number, AbortController>()
  const tell = (told: ApartTold) => parentPort?.postMessage(told)

  const work = async ({ id, name, input }: Extract<ApartAsked<never>, { kind: 'start' }>) => {
    const over = new AbortController()
    running.set(id, over)
    try {
      const found = works.find((one) => one.name === name)
      if (!found) throw new Error(`nobody can do ${name} apart`)
      tell({ id, outcome: await found.run(q, input, over.signal) })
    } catch (error) {
      tell({ id, failure: failureOf(error) })
    } finally {
      running.delete(id)
    }
  }

  parentPort?.on('message', (asked: ApartAsked<never>) => {
    if (asked.kind === 'abort') running.get(asked.id)?.abort()
    else void work(asked)
  })
}
