// @module-tag sql
import { afterEach, beforeEach, expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { enqueueJob } from '../../src/jobs/enqueue.ts'
import type { JobRun } from '../../src/jobs/job-handler.ts'
import { claimJobsOfAnyWorkspace, listWorkspacesWithDueJobs } from '../../src/jobs/job-queries.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import { movableClock } from '../conformance/movable-clock.ts'
import { waitFor } from '../harness/server-process.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const GREEDY = '0199d2a0-0000-7000-8000-000000000001'
const MODEST = '0199d2a0-0000-7000-8000-000000000002'
const THIRD = '0199d2a0-0000-7000-8000-000000000003'
const LEASE_SECONDS = 3_600

describeEachStorage('jobs of several applications', (storage) => {
  const clock = movableClock()
  const newId = idGenerator(clock)
  let runner: JobRunner | undefined

  beforeEach(async () => {
    await storage().transaction((tx) => tx.deleteFrom('jobs').execute())
  })
  afterEach(() => runner?.stop())

  async function add(workspaceId: string, count: number): Promise<void> {
    for (let place = 0; place < count; place += 1) {
      const job = { workspaceId, kind: 'work', payload: { place: String(place) } }
      await storage().transaction((tx) => enqueueJob(tx, { clock, newId }, job))
    }
  }

  async function enqueue(workspaceId: string, count: number): Promise<void> {
    await add(workspaceId, count)
    // PostgreSQL goes by the clock of its machine, which may have been set back a little since.
    await waitFor('the jobs to be due', async () => {
      const due = await listWorkspacesWithDueJobs(storage().read, clock, 3)
      return due.includes(workspaceId) || undefined
    })
  }

  async function claim(limit: number): Promise<string[]> {
    const claiming = { owner: 'a worker', limit, leaseSeconds: LEASE_SECONDS }
    const claimed = await storage().transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, claiming))
    return claimed.map(({ workspaceId }) => workspaceId)
  }

  it('are claimed in turn: a late one is claimed with the first of many', async () => {
    await enqueue(GREEDY, 40)
    await enqueue(MODEST, 1)
    expect((await claim(4)).sort()).toEqual([GREEDY, GREEDY, GREEDY, MODEST])
  })

  it('are claimed for the application that has the fewest running', async () => {
    await enqueue(GREEDY, 10)
    expect(await claim(3)).toEqual([GREEDY, GREEDY, GREEDY])
    await enqueue(MODEST, 3)
    await enqueue(THIRD, 1)
    const next: string[] = []
    for (let count = 0; count < 4; count += 1) next.push(...(await claim(1)))
    expect(next.slice(0, 2).sort()).toEqual([MODEST, THIRD])
    expect(next.slice(2)).toEqual([MODEST, MODEST])
  })

  it('of one that fills every slot with work that hangs let another one begin at once', async () => {
    const begun: string[] = []
    let isOver = false
    const run = async (job: JobRun) => {
      begun.push(job.workspaceId)
      if (job.workspaceId !== GREEDY) return undefined
      // A provider that never answers: not even the end of its turn ends it.
      await waitFor('the end of the test', async () => isOver || job.signal.aborted || undefined)
      return 'requeue'
    }
    const times = { leaseSeconds: LEASE_SECONDS, turnMs: 15_000, pollMs: 5 }
    const handlers = [{ kind: 'work', run, onFailed: async () => {} }]
    await enqueue(GREEDY, 40)
    runner = new JobRunner({
      db: storage(),
      clock,
      newId,
      log: createLogger('silent'),
      handlers,
      concurrency: 4,
      ...times,
    })
    runner.start()
    await waitFor('every slot to be taken', async () => begun.length === 4 || undefined)
    for (const other of [MODEST, THIRD]) {
      await add(other, 1)
      await waitFor('the other to be served', async () => begun.includes(other) || undefined)
    }
    // The clock was not moved: no turn has ended.
    expect(begun.filter((workspaceId) => workspaceId === GREEDY).length).toBeLessThanOrEqual(8)
    isOver = true
  })
})
