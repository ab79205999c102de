// @module-tag sql
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { enqueueJob } from '../../src/jobs/enqueue.ts'
import { claimJobsOfAnyWorkspace } from '../../src/jobs/job-queries.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

describeEachStorage('claiming jobs', (storage) => {
  const clock = systemClock()
  const newId = idGenerator(clock)

  async function enqueue(count: number): Promise<void> {
    await storage().transaction(async (tx) => {
      for (let job = 0; job < count; job += 1) {
        await enqueueJob(tx, { clock, newId }, { workspaceId: newId(), kind: 'any', payload: {} })
      }
    })
  }

  // A queue is nearly empty most of the time, hence also when the database looks at how large it is. A plan made for one row
  // may run the inner query once per row, and then its limit and its locks hold for each of these runs, not for the whole.
  it.each([0, 1, 2, 20])('claims no more than requested when statistics were collected with %i jobs', async (known) => {
    await storage().transaction((tx) => tx.deleteFrom('jobs').execute())
    await enqueue(known)
    await storage().transaction((tx) => sql`analyze jobs`.execute(tx))
    await enqueue(20)
    const claim = { owner: 'a worker', limit: 3, leaseSeconds: 60 }
    const first = await storage().transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, claim))
    const second = await storage().transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, claim))
    expect([first.length, second.length]).toEqual([3, 3])
    expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(6)
  })
})
