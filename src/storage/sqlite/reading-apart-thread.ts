/** The thread's side of `ReadingApart`: does the work that it is told to, on a connection that can only read. */
import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../../base/give-way.ts'
import { failureOf } from '../../base/thread-failure.ts'
import type { ReadingWork } from '../db.ts'
import { queriesOn } from './connection.ts'
import { openForReading } from './open-for-reading.ts'
import type { ApartAsked, ApartTold } from './reading-apart.ts'

type Piece = { over: AbortController; goOn(): void }

export function doApart(works: readonly ReadingWork<never, unknown, unknown>[]): void {
  giveWay()
  const file: string = workerData
  const q = queriesOn(openForReading(file, 5_000))
  const running = new Map<number, Piece>()
  const tell = (told: ApartTold) => parentPort?.postMessage(told)

  const work = async ({ id, name, input }: Extract<ApartAsked<never>, { kind: 'start' }>) => {
    const over = new AbortController()
    const piece: Piece = { goOn: () => {}, over }
    running.set(id, piece)
    const take = (part: unknown) =>
      new Promise<void>((resolve) => {
        piece.goOn = resolve
        if (over.signal.aborted) resolve()
        else tell({ id, part })
      })
    try {
      const found = works.find((one) => one.name === name)
      if (!found) throw new Error(`nobody can do ${name} apart`)
      tell({ id, outcome: await found.run(q, input, over.signal, take) })
    } catch (error) {
      tell({ id, failure: failureOf(error) })
    } finally {
      running.delete(id)
    }
  }

  parentPort?.on('message', (asked: ApartAsked<never>) => {
    if (asked.kind === 'start') return void work(asked)
    const piece = running.get(asked.id)
    if (asked.kind === 'abort') piece?.over.abort()
    // Also when nobody wants more: it has to go on to learn that.
    piece?.goOn()
  })
}
