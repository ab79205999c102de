// @module-tag deep
import { setTimeout as delay } from 'node:timers/promises'
import { Client as PostgresClient } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import {
  launch,
  type Program,
  type ServerProcess,
  shortLeaseSource,
  startServer,
  waitFor,
} from '../harness/server-process.ts'

const CASES = 1_000
const EVALUATORS = [
  { type: 'humanRating' },
  { type: 'length', maxCharacters: 100 },
  { type: 'regex', name: 'pattern', pattern: '^a' },
]
const LEASE_SECONDS = 2
type Moment = 'between transactions' | 'inside a transaction'
/** Longer than any machine keeps a worker waiting: no job changes hands. */
const UNDISTURBED = { leaseSeconds: 600, turnMs: 600_000 }

describe('several workers on one PostgreSQL', () => {
  let database: TestDatabase
  let admin: PostgresClient
  let server: ServerProcess
  let datasetId = ''
  let path = ''
  let workers: Program[] = []

  beforeAll(async () => {
    database = await createTestDatabase('postgres', 'migrated')
    server = await startServer(database.url, { command: ['serve', '--no-worker'] })
    admin = new PostgresClient({ connectionString: database.url })
    await admin.connect()
    // Keeps every claim, which the table of jobs itself forgets when a job is done.
    await admin.query(`
      create table claims (job uuid, fence integer, owner text, at timestamptz default clock_timestamp());
      create function note_claim() returns trigger language plpgsql as $$ begin
        insert into claims (job, fence, owner) values (new.id, new.fence, new.lease_owner); return new; end $$;
      create trigger note_claim after update on jobs for each row when (old.fence <> new.fence)
        execute function note_claim()`)
    const component = await server.client.create('/components', { name: 'Shared' })
    const traceIds = Array.from({ length: CASES }, (_, place) => `trace-${place}`)
    datasetId = await server.client.create(`/components/${component}/datasets`, { name: 'Many', traceIds })
    const run = await server.client.create(`/components/${component}/runs`, { datasetId, traceIds: ['trace-1'] })
    const annotation = { traceDbId: 'trace-1', rating: 'positive' }
    await server.client.create(`/components/${component}/runs/${run}/annotations`, annotation)
    path = `/components/${component}/evaluations`
  })

  beforeEach(async () => {
    await admin.query('truncate jobs; truncate claims; truncate evaluation_scores')
  })

  afterEach(async () => {
    for (const worker of workers) await worker.kill()
    workers = []
  })

  afterAll(async () => {
    await admin.end()
    await server.kill()
  })

  /** The name distinguishes the connections of a worker from those of others. */
  function startWorker(name: string, { leaseSeconds, ...times } = { leaseSeconds: LEASE_SECONDS }): Program {
    const worker = launch({
      source: shortLeaseSource({ serves: false, works: true }, leaseSeconds, times),
      environment: { DATABASE_URL: `${database.url}?application_name=${name}`, TOUCHSTONE_LOG_LEVEL: 'warn' },
    })
    workers.push(worker)
    return worker
  }

  const evaluate = () => server.client.create(path, { datasetId, config: { evaluators: EVALUATORS } })

  const read = async (id: string) => (await server.client.get(`${path}/${id}`)).body

  const untilCompleted = (id: string) =>
    waitFor('the evaluation to be completed', async () => ((await read(id)).status === 'completed' ? true : undefined))

  async function claims(): Promise<{ fence: number; owner: string; at: Date }[]> {
    const { rows } = await admin.query('select fence, owner, at from claims order by at')
    return rows
  }

  async function expectScoredOnce(id: string): Promise<void> {
    const { rows } = await admin.query(
      `select count(*)::int as total, count(*) filter (where state = 'scored')::int as done,
        count(*) filter (where state = 'skipped')::int as skipped from evaluation_scores where evaluation_id = $1`,
      [id],
    )
    expect(rows).toEqual([{ total: CASES * 3, done: 1, skipped: CASES * 3 - 1 }])
    expect((await read(id)).progress).toEqual({ total: CASES * 3, done: 1, failed: 0, skipped: CASES * 3 - 1 })
  }

  /**
   * Stops the process amid an evaluation, at a moment when it has no transaction open, or has one, as wanted.
   * On a busy machine an evaluation can end between two looks; then another one is started.
   */
  function stopAmidEvaluation(worker: Program, name: string, wanted: Moment): Promise<string> {
    return waitFor(`the worker to be ${wanted}`, async () => {
      const id = await evaluate()
      for (;;) {
        worker.signal('SIGSTOP')
        const states = await waitFor('the last statement to end', () => openStates(name))
        const isMoment = states.includes('idle in transaction') === (wanted === 'inside a transaction')
        const { rows } = await admin.query(
          `select status, exists (select 1 from evaluation_scores where evaluation_id = e.id) as "isScored"
            from evaluations as e where id = $1`,
          [id],
        )
        const { status, isScored } = Object(rows[0])
        if (isMoment && status === 'running' && isScored) return id
        worker.signal('SIGCONT')
        if (status === 'completed') return undefined
        // A worker that is stopped at once again gets nowhere.
        await delay(5)
      }
    })
  }

  /** A statement that is still being executed ends by itself; what counts is the state after it. */
  async function openStates(name: string): Promise<string[] | undefined> {
    const { rows } = await admin.query(
      `select state from pg_stat_activity where application_name = $1 and state <> 'idle'`,
      [name],
    )
    const states = rows.map(({ state }) => String(state))
    return states.includes('active') ? undefined : states
  }

  async function takeOver(wanted: Moment): Promise<void> {
    const first = startWorker('first')
    const id = await stopAmidEvaluation(first, 'first', wanted)
    const owners = async () =>
      (await claims()).map(({ owner }) => owner).filter((owner, place, all) => owner !== all[place - 1])
    const stoppedAt = performance.now()
    const second = startWorker('second')
    await waitFor('another worker to take the job', async () => (await owners())[1])
    const takenMs = performance.now() - stoppedAt
    await untilCompleted(id)
    const ended = await read(id)
    // The job's own row goes a moment after the evaluation has ended; until then it could be claimed once more.
    await waitFor(
      'the job to be gone',
      async () => (await admin.query('select 1 from jobs')).rowCount === 0 || undefined,
    )
    await second.kill()
    first.signal('SIGCONT')
    // The sleeper is alive and well: it does the next job, and has not touched the one that it lost.
    const next = await evaluate()
    await untilCompleted(next)
    expect(first.hasEnded).toBe(false)
    expect(await read(id)).toEqual(ended)
    await expectScoredOnce(id)
    await expectScoredOnce(next)
    const [one, other, again, ...more] = await owners()
    expect([one, more]).toEqual([again, []])
    expect(other).not.toBe(one)
    await first.kill()
    console.log(`takeover with a lease of ${LEASE_SECONDS} s, stopped ${wanted}: ${Math.round(takenMs)} ms`)
  }

  it('a job whose worker is suspended beyond its lease goes to another worker, and late writes are rejected', () =>
    takeOver('between transactions'))

  it('a worker that is stopped inside a transaction loses its job just the same', () =>
    takeOver('inside a transaction'))

  it('two workers share the jobs and never have the same one at once', async () => {
    startWorker('left', UNDISTURBED)
    startWorker('right', UNDISTURBED)
    const ids = await Promise.all(Array.from({ length: 8 }, evaluate))
    for (const id of ids) await untilCompleted(id)
    for (const id of ids) await expectScoredOnce(id)
    const all = await claims()
    expect(all.map(({ fence }) => fence)).toEqual(ids.map(() => 1))
    expect(new Set(all.map(({ owner }) => owner)).size).toBe(2)
  })
})
