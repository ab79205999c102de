/** A clock that only tests move, with sleepers that wake in the order of their times, and a database to work on. */
import { createLogger } from '../../src/base/log.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { createTestDatabase } from '../harness/each-engine.ts'

export async function virtualTime() {
  const database = await createTestDatabase('sqlite', 'migrated')
  const log = createLogger('silent')
  const limits = { poolSizeMax: 5, statementTimeoutMs: 120_000 }
  const db = await openStorage({ url: database.url, log, use: 'server', onFatal: () => {}, ...limits })
  let now = Date.parse('2026-01-01T00:00:00Z')
  const sleepers: { until: number; wake(): void }[] = []
  const random = seededRandom('virtual time')

  /** The writer works in order, so after a transaction of our own all that were begun before are done. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 6; turn += 1) {
      await db.transaction(async () => {})
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function advance(ms: number): Promise<void> {
    const end = now + ms
    await settle()
    for (;;) {
      sleepers.sort((a, b) => a.until - b.until)
      const first = sleepers[0]
      if (!first || first.until > end) break
      sleepers.shift()
      now = Math.max(now, first.until)
      first.wake()
      await settle()
    }
    now = end
  }

  return {
    db,
    clock: { now: () => now },
    random: () => nextRandom(random),
    sleep: (ms: number) => new Promise<void>((wake) => sleepers.push({ until: now + ms, wake })),
    advance,
    /** Runs this while time passes, and returns how long it took. */
    async untilDone(work: () => Promise<void>): Promise<number> {
      const begun = now
      let isDone = false
      const done = work().finally(() => {
        isDone = true
      })
      await settle()
      while (!isDone && now - begun < 600_000) await advance(1_000)
      await done
      return now - begun
    },
    async close() {
      // Calls that still wait never end.
      sleepers.splice(0)
      await settle()
      await db.close()
      database.remove()
    },
  }
}
