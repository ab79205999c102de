// @module-tag sql
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DatabaseOutage } from '../../src/base/errors.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { enqueueJob } from '../../src/jobs/enqueue.ts'
import type { JobHandler } from '../../src/jobs/job-handler.ts'
import { claimJobsOfAnyWorkspace } from '../../src/jobs/job-queries.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import type { Db } from '../../src/storage/db.ts'
import { movableClock } from '../conformance/movable-clock.ts'
import { waitFor } from '../harness/server-process.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const WORKSPACE = '0199d2a0-0000-7000-8000-000000000001'

describeEachStorage('outages of the database while a job runs', (storage, engine) => {
  const clock = movableClock()
  const newId = idGenerator(clock)
  let runner: JobRunner | undefined

  beforeEach(() => storage().transaction((tx) => tx.deleteFrom('jobs').execute()))
  afterEach(() => runner?.stop())

  function startRunner(handler: Partial<JobHandler>, db: Db = storage()): void {
    const handlers = [{ kind: 'work', run: async () => {}, onFailed: async () => {}, ...handler }]
    const times = { leaseSeconds: 60, turnMs: 15_000, pollMs: 5 }
    runner = new JobRunner({ db, clock, newId, log: createLogger('silent'), handlers, concurrency: 1, ...times })
    runner.start()
  }

  const enqueue = () =>
    storage().transaction((tx) =>
      enqueueJob(tx, { clock, newId }, { workspaceId: WORKSPACE, kind: 'work', payload: {} }),
    )
  const jobs = () => storage().read.selectFrom('jobs').selectAll().execute()
  const untilGone = () => waitFor('the job to be done', async () => (await jobs()).length === 0 || undefined)
  const untilState = (state: string, attempts: number) =>
    waitFor(`the job to be ${state}`, async () =>
      (await jobs()).find((job) => job.state === state && job.attempts === attempts),
    )

  async function endPause(): Promise<void> {
    if (engine === 'sqlite') return clock.advance(61_000)
    await storage().transaction((tx) => sql`update jobs set run_at = run_at - interval '61 seconds'`.execute(tx))
  }

  const isAway = () => Promise.reject(new DatabaseOutage('The database cannot be reached right now; try again'))

  it('use no attempts, however many there are', async () => {
    let runs = 0
    startRunner({ run: async () => (++runs <= 7 ? isAway() : undefined) })
    await enqueue()
    for (let outage = 1; outage <= 7; outage += 1) {
      await waitFor(`run ${outage}`, async () => runs === outage || undefined)
      expect(await untilState('queued', 0)).toMatchObject({ last_error: expect.stringContaining('cannot be reached') })
      await endPause()
    }
    await untilGone()
  })

  it('repeat the last attempt if the failure cannot be stored, and do not hide its reason', async () => {
    const reasons: string[] = []
    const onFailed: JobHandler['onFailed'] = async (_tx, _job, reason) => {
      reasons.push(reason)
      if (reasons.length < 3) await isAway()
    }
    startRunner({ run: () => Promise.reject(new Error('no way')), onFailed })
    await enqueue()
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await untilState('queued', attempt)
      await endPause()
    }
    for (let outage = 1; outage < 3; outage += 1) {
      await waitFor(`call ${outage}`, async () => reasons.length === outage || undefined)
      await untilState('queued', 4)
      await endPause()
    }
    await untilState('failed', 5)
    expect(reasons).toEqual(['no way', 'no way', 'no way'])
  })

  it('make leases expire without using an attempt', async () => {
    await enqueue()
    const dead = { owner: 'a worker', limit: 1, leaseSeconds: -1 }
    for (let attempt = 1; attempt <= 5; attempt += 1)
      await storage().transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, dead))
    let polls = 0
    startRunner({}, { ...storage(), transaction: (work) => (++polls === 1 ? isAway() : storage().transaction(work)) })
    await untilGone()
  })
})
