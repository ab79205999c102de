import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { enterInTime } from '../../src/storage/limit-batches.ts'
import { TurnLane } from '../../src/storage/turn-lane.ts'
import { readSearchIndexState } from '../../src/traces/search/index-state-queries.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { startTestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

describe('batches of spans on PostgreSQL', () => {
  it('leave connections to other requests, for any number of waiting batches, and are all stored', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    const app = await startTestApp(url, { environment: { TOUCHSTONE_POOL_SIZE: '4' }, works: false })
    const { client } = await app.newWorkspace()
    // Building it would wait for the lock below, and the lock for it.
    await until(async () => expect((await readSearchIndexState(app.storage)).state).toBe('ready'))
    const blocking = new pg.Client({ connectionString: url })
    await blocking.connect()
    await blocking.query('begin')
    await blocking.query('lock table spans in exclusive mode')
    const send = (number: number) =>
      client.post('/v1/traces', otlpRequest([{ traceId: traceIdOf(number), spanId: spanIdOf(number) }]))
    const sent = [1, 2, 3, 4, 5, 6].map(send)
    // Outside of the transaction, which would see the same activity all the time.
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    await until(async () => {
      const { rows } = await other.query(
        "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      expect(rows[0].count).toBeGreaterThanOrEqual(2)
    })
    await other.end()
    expect((await client.post('/components', { name: 'Greeter' })).status).toBe(201)
    await blocking.query('rollback')
    await blocking.end()
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    // On a slow machine some may have waited too long for a slot. Exporters send those again.
    for (const [place, status] of statuses.entries())
      if (status === 503) statuses[place] = (await send(place + 1)).status
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200])
    expect((await client.get('/traces?limit=1')).body['total']).toBe(6)
    await app.close()
  })
})

describe('the slots of batches', () => {
  const laneOf = (runningMax: number) => new TurnLane({ name: 'writes', runningMax, runningMaxEach: runningMax })

  it('that do not become free in time are a 503, and are free afterwards', async () => {
    const lane = laneOf(1)
    const leave = await enterInTime(lane, 'a', 60_000)
    await expect(enterInTime(lane, 'a', 1)).rejects.toMatchObject({ status: 503 })
    leave()
    expect(await enterInTime(lane, 'a', 60_000)).toBeTypeOf('function')
  })
})
