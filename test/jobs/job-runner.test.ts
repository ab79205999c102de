// @module-tag sql
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { enqueueJob } from '../../src/jobs/enqueue.ts'
import type { JobHandler, JobRun } from '../../src/jobs/job-handler.ts'
import { claimJobsOfAnyWorkspace } from '../../src/jobs/job-queries.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import type { Db, Queries } from '../../src/storage/db.ts'
import { movableClock } from '../conformance/movable-clock.ts'
import { waitFor } from '../harness/server-process.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const WORKSPACE = '0199d2a0-0000-7000-8000-000000000001'
const LEASE_SECONDS = 60
const TURN_MS = 15_000

describeEachStorage('the job runner', (storage, engine) => {
  const clock = movableClock()
  const newId = idGenerator(clock)
  let runners: JobRunner[] = []

  beforeEach(async () => {
    await storage().transaction(async (tx) => {
      await tx.deleteFrom('jobs').execute()
      await tx.deleteFrom('instance_settings').execute()
    })
  })
  afterEach(async () => {
    for (const runner of runners) await runner.stop()
    runners = []
  })

  function startRunner(
    handlers: JobHandler[],
    { db = storage(), concurrency = 4 }: { db?: Db; concurrency?: number } = {},
  ) {
    const log = createLogger('silent')
    const times = { leaseSeconds: LEASE_SECONDS, turnMs: TURN_MS, pollMs: 5 }
    const runner = new JobRunner({ db, clock, newId, log, handlers, concurrency, ...times })
    runners.push(runner)
    runner.start()
    return runner
  }

  async function enqueue(kind: string): Promise<void> {
    const job = { workspaceId: WORKSPACE, kind, payload: { note: kind } }
    await storage().transaction((tx) => enqueueJob(tx, { clock, newId }, job))
  }

  const jobs = () => storage().read.selectFrom('jobs').selectAll().orderBy('id').execute()

  async function onlyJob() {
    const [job, ...rest] = await jobs()
    if (!job || rest.length > 0) throw new Error(`there are ${rest.length} jobs more or less than one`)
    return job
  }

  const untilState = (state: string, attempts?: number) =>
    waitFor(`the job to be ${state}`, async () => {
      const job = await onlyJob()
      return job.state === state && job.attempts === (attempts ?? job.attempts) ? job : undefined
    })

  const untilGone = () => waitFor('the job to be done', async () => (await jobs()).length === 0 || undefined)

  /** Leases follow the injected clock on SQLite; PostgreSQL has its own, so there the rows are moved into the past. */
  async function letTimePass(seconds: number): Promise<void> {
    if (engine === 'sqlite') return clock.advance(seconds * 1_000)
    await storage().transaction((tx) =>
      sql`update jobs set run_at = run_at - make_interval(secs => ${seconds}),
        lease_until = lease_until - make_interval(secs => ${seconds})`.execute(tx),
    )
  }

  async function exhaust(times: number): Promise<void> {
    for (let attempt = 1; attempt <= times; attempt += 1) {
      await untilState('queued', attempt)
      await letTimePass(61)
    }
  }

  async function now(): Promise<number> {
    if (engine === 'sqlite') return clock.now()
    const { rows } = await sql<{ now: string }>`select now() as now`.execute(storage().read)
    return Date.parse(rows[0]?.now ?? '')
  }

  describe('retries', () => {
    it('tries five times with growing pauses, and keeps the job as failed with its last error', async () => {
      let runs = 0
      const isFailing = () => {
        runs += 1
        throw new Error(`failure ${runs}`)
      }
      startRunner([handler('flaky', { run: async () => isFailing() })])
      await enqueue('flaky')
      const pauses: number[] = []
      for (let attempt = 1; attempt < 5; attempt += 1) {
        const before = await now()
        const job = await untilState('queued', attempt)
        expect(job).toMatchObject({ last_error: `failure ${attempt}`, lease_owner: null, lease_until: null })
        // Rounded to the next power of two: the pause began somewhere between the two readings of the clock.
        pauses.push(2 ** Math.round(Math.log2((Date.parse(job.run_at) - before) / 1_000)))
        expect(runs).toBe(attempt)
        await letTimePass(2 ** attempt + 1)
      }
      expect(await untilState('failed')).toMatchObject({ attempts: 5, last_error: 'failure 5' })
      expect(runs).toBe(5)
      expect(pauses).toEqual([2, 4, 8, 16])
    })

    it('does the work once when a retry succeeds', async () => {
      let runs = 0
      const run = async ({ commit }: JobRun) => {
        runs += 1
        await commit((tx) => note(tx, `run ${runs}`))
        if (runs === 1) throw new Error('not this time')
      }
      startRunner([handler('flaky', { run })])
      await enqueue('flaky')
      await untilState('queued', 1)
      await letTimePass(3)
      await untilGone()
      expect(await notes()).toEqual(['run 1', 'run 2'])
    })
  })

  describe('giving up', () => {
    it('calls onFailed in the transaction that marks the job as failed', async () => {
      const onFailed: JobHandler['onFailed'] = async (tx, { payload }, reason) => {
        const { state } = await tx.selectFrom('jobs').select('state').executeTakeFirstOrThrow()
        await note(tx, `${payload.note} ${state}: ${reason}`)
      }
      startRunner([handler('hopeless', { run: () => Promise.reject(new Error('no way')), onFailed })])
      await enqueue('hopeless')
      await exhaust(4)
      await untilState('failed')
      expect(await notes()).toEqual(['hopeless failed: no way'])
    })

    it('rolls back everything when onFailed throws: its rows and the failed state of the job', async () => {
      let rejections = 0
      const onFailed: JobHandler['onFailed'] = async (tx) => {
        await note(tx, 'half')
        rejections += 1
        throw new Error('onFailed failed')
      }
      startRunner([handler('hopeless', { run: () => Promise.reject(new Error('no way')), onFailed })])
      await enqueue('hopeless')
      await exhaust(4)
      await waitFor('the call of onFailed', async () => rejections > 0 || undefined)
      expect(await notes()).toEqual([])
      expect((await onlyJob()).state).toBe('running')
      await letTimePass(LEASE_SECONDS + 1)
      await waitFor('another call of onFailed', async () => rejections > 1 || undefined)
    })

    it('fails a job that has killed its worker in every attempt, without running it once more', async () => {
      await enqueue('deadly')
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const dying = { owner: `dead ${attempt}`, limit: 1, leaseSeconds: LEASE_SECONDS }
        const claimed = await storage().transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, dying))
        expect(claimed).toMatchObject([{ attempt, fence: attempt }])
        await letTimePass(LEASE_SECONDS + 1)
      }
      let runs = 0
      startRunner([
        handler('deadly', {
          run: async () => {
            runs += 1
          },
          onFailed: (tx, _job, reason) => note(tx, reason),
        }),
      ])
      await untilState('failed')
      expect(runs).toBe(0)
      expect(await notes()).toEqual([
        'the worker was killed, or could not reach the database any more, in every attempt',
      ])
    })

    /** Lets the job fail this many times and makes it due again each time. */
  })

  describe('leases', () => {
    it('a worker whose job was taken over can write nothing more for it', async () => {
      const { gate: hold, open } = makeGate()
      let late: unknown
      const slow = handler('shared', {
        async run({ commit }) {
          await commit((tx) => note(tx, 'slow began'))
          await hold
          late = await commit((tx) => note(tx, 'slow came late')).catch((error: unknown) => error)
          throw late
        },
      })
      startRunner([slow])
      await enqueue('shared')
      await waitFor('the slow worker', async () => (await notes()).includes('slow began') || undefined)
      await pauseFirst()
      await letTimePass(LEASE_SECONDS + 1)
      startRunner([handler('shared', { run: ({ commit }) => commit((tx) => note(tx, 'quick did it')) })])
      await untilGone()
      open()
      await waitFor('the late write', async () => late)
      expect(String(late)).toContain('another worker has claimed this job')
      expect(await notes()).toEqual(['quick did it', 'slow began'])
      expect(await jobs()).toEqual([])
    })

    it('a job that its own runner claims a second time, after a long sleep, is still renewed and awaited', async () => {
      const { gate: firstEnds, open: endFirst } = makeGate()
      const { gate: secondEnds, open: endSecond } = makeGate()
      let runs = 0
      let hasSecondEnded = false
      const sleepy = handler('sleepy', {
        async run() {
          runs += 1
          if (runs === 1) return firstEnds
          await secondEnds
          hasSecondEnded = true
        },
      })
      let transactions = 0
      const db: Db = {
        ...storage(),
        transaction: (work) =>
          storage()
            .transaction(work)
            .finally(() => (transactions += 1)),
      }
      const runner = startRunner([sleepy], { db })
      await enqueue('sleepy')
      await waitFor('the first run', async () => runs === 1 || undefined)
      await letTimePass(LEASE_SECONDS + 1)
      await waitFor('the second run', async () => runs === 2 || undefined)
      const before = transactions
      endFirst()
      await waitFor('the first run to find that the job is not its own', async () => transactions > before || undefined)
      const stopping = runner.stop()
      setImmediate(endSecond)
      await stopping
      expect(hasSecondEnded).toBe(true)
    })

    /** Stops only the polling of the first runner: it must not take its own job over. */
    async function pauseFirst(): Promise<void> {
      void runners[0]?.stop()
    }
  })

  describe('stop', () => {
    it('releases running jobs at once, and the attempt does not count', async () => {
      const runner = startRunner([handler('long', { run: ({ signal }) => untilAborted(signal) })])
      await enqueue('long')
      await untilState('running')
      await runner.stop()
      expect(await onlyJob()).toMatchObject({ state: 'queued', attempts: 0, lease_owner: null, last_error: null })
      startRunner([handler('long', { run: async () => {} })])
      await untilGone()
    })

    it('releases even a job that ignores its signal', async () => {
      const { gate, open } = makeGate()
      const runner = startRunner([handler('deaf', { run: () => gate })])
      await enqueue('deaf')
      await untilState('running')
      await runner.stop()
      const left = await onlyJob()
      open()
      expect(left).toMatchObject({ state: 'queued', lease_owner: null })
    })

    it('does not claim anything more', async () => {
      const noting = (text: string) => handler('any', { run: ({ commit }: JobRun) => commit((tx) => note(tx, text)) })
      const runner = startRunner([noting('the stopped one')])
      await runner.stop()
      await enqueue('any')
      startRunner([noting('the other one')])
      await untilGone()
      expect(await notes()).toEqual(['the other one'])
    })
  })

  describe('trouble', () => {
    it('a job of an unknown kind does not keep others from being run', async () => {
      startRunner([handler('known', { run: ({ commit }) => commit((tx) => note(tx, 'known ran')) })], {
        concurrency: 1,
      })
      await enqueue('from-the-future')
      await enqueue('known')
      await waitFor('the known job to be gone', async () => (await jobs()).length === 1 || undefined)
      expect(await notes()).toEqual(['known ran'])
      expect((await onlyJob()).last_error).toContain('no handler for jobs of the kind from-the-future')
    })

    it('continues by itself when the database is available again', async () => {
      let isAway = true
      let rejections = 0
      const reject = () => {
        rejections += 1
        throw new Error('the database is away')
      }
      const db: Db = {
        inTransaction: false,
        get read(): Queries {
          return isAway ? reject() : storage().read
        },
        bulk: storage().bulk,
        inReadWorker: storage().inReadWorker,
        search: storage().search,
        transaction: (work) => (isAway ? Promise.reject(new Error('away')) : storage().transaction(work)),
      }
      await enqueue('patient')
      startRunner([handler('patient', { run: async () => {} })], { db })
      await waitFor('several failed looks', async () => rejections >= 3 || undefined)
      expect(await jobs()).toHaveLength(1)
      isAway = false
      await untilGone()
    })

    it('a job whose end could not be stored is run again when its lease has run out', async () => {
      let isAway = false
      const db: Db = {
        inTransaction: false,
        get read() {
          return storage().read
        },
        bulk: storage().bulk,
        inReadWorker: storage().inReadWorker,
        search: storage().search,
        transaction: (work) => (isAway ? Promise.reject(new Error('away')) : storage().transaction(work)),
      }
      let runs = 0
      startRunner(
        [
          handler('unlucky', {
            async run() {
              runs += 1
              isAway = runs === 1
            },
          }),
        ],
        { db },
      )
      await enqueue('unlucky')
      await waitFor('the first run', async () => runs === 1 || undefined)
      isAway = false
      await letTimePass(LEASE_SECONDS + 1)
      await untilGone()
      expect(runs).toBe(2)
    })

    it('never runs more jobs at once than it may', async () => {
      let running = 0
      let most = 0
      const run = async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
      }
      for (let job = 0; job < 20; job += 1) await enqueue('many')
      startRunner([handler('many', { run })], { concurrency: 3 })
      await untilGone()
      expect(most).toBe(3)
    })
  })

  async function notes(): Promise<string[]> {
    const rows = await storage().read.selectFrom('instance_settings').select('name').orderBy('name').execute()
    return rows.map(({ name }) => name)
  }
})

function handler(
  kind: string,
  { run, onFailed }: { run: JobHandler['run']; onFailed?: JobHandler['onFailed'] },
): JobHandler {
  return { kind, run, onFailed: onFailed ?? (async () => {}) }
}

/** A row that says what a handler did; instance settings are the smallest table there is. */
async function note(tx: Queries, name: string): Promise<void> {
  await tx.insertInto('instance_settings').values({ name, value: '', expires_at: null }).execute()
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}

function makeGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { gate: promise, open: resolve }
}
