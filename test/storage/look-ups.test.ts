/** Look-ups that share connections to PostgreSQL. */

import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { LookUps } from '../../src/storage/postgres/look-ups.ts'
import { until } from '../harness/wait-for.ts'

describe('look-ups', () => {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  const name = `look-ups-${process.pid}`
  let lookUps: LookUps
  let lost: Error[]

  beforeAll(() => admin.connect())
  afterAll(() => admin.end())

  beforeEach(() => {
    lost = []
    const config = { connectionString: inject('postgresUrl'), application_name: name, query_timeout: 60_000 }
    lookUps = new LookUps(config, (error) => lost.push(error))
    return () => lookUps.close()
  })

  async function backends(): Promise<number[]> {
    const query = 'select pid from pg_stat_activity where application_name = $1'
    return (await admin.query<{ pid: number }>(query, [name])).rows.map(({ pid }) => pid)
  }

  it('get their own rows when hundreds are sent at once, on at most two connections', async () => {
    const text = 'select $1::int as number from generate_series(1, $2::int)'
    const numbers = Array.from({ length: 300 }, (_, number) => number)
    const results = await Promise.all(
      numbers.map((number) => lookUps.run({ name: 'numbers', text, values: [number, number % 5] })),
    )
    expect(results).toEqual(numbers.map((number) => Array.from({ length: number % 5 }, () => ({ number }))))
    expect(await backends()).toHaveLength(2)
  })

  it('fail alone: the ones sent before and after an invalid one succeed', async () => {
    const texts = ['select 1 as one', 'select 1 / 0 as one', 'select no such column', 'select 1 as one']
    const results = await Promise.allSettled(texts.map((text) => lookUps.run({ text, values: [] })))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  })

  it('fail if their connection is lost, and the next ones use another', async () => {
    await lookUps.run({ text: 'select 1', values: [] })
    const [pid] = await backends()
    const waiting = lookUps.run({ text: 'select pg_sleep(600)', values: [] })
    const failed = expect(waiting).rejects.toThrow(/cannot be reached/)
    await admin.query('select pg_terminate_backend($1)', [pid])
    await failed
    expect(await lookUps.run({ text: 'select 2 as two', values: [] })).toEqual([{ two: 2 }])
    expect(lost.length).toBeLessThanOrEqual(1)
  })

  it('of which some fail for reasons of their own never get the rows of others', async () => {
    const numbers = Array.from({ length: 200 }, (_, number) => number)
    const results = await Promise.allSettled(
      numbers.map((number) => {
        const id =
          number % 7 === 0 ? `${number} is no id` : `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`
        return lookUps.run({ name: 'ids', text: 'select $1::uuid as id, $2::int as number', values: [id, number] })
      }),
    )
    for (const [number, result] of results.entries()) {
      if (number % 7 === 0) expect(result).toMatchObject({ status: 'rejected', reason: { code: '22P02' } })
      else expect(result).toMatchObject({ status: 'fulfilled', value: [{ number }] })
    }
  })

  it('succeed if their statement could not be prepared for the one before them', async () => {
    const holder = new pg.Client({ connectionString: inject('postgresUrl') })
    await holder.connect()
    await holder.query('create table locked (id int)')
    await holder.query('begin')
    await holder.query('lock table locked')
    try {
      const text = 'select $1::int as number from (select count(*) from locked) as counted'
      const run = (number: number) => lookUps.run({ name: 'counted', text, values: [number] })
      const sent = Promise.allSettled([1, 2, 3, 4].map(run))
      const waiting = "from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'"
      await until(async () => expect((await admin.query(`select pid ${waiting}`, [name])).rowCount).toBe(2))
      await admin.query(`select pg_cancel_backend(pid) ${waiting}`, [name])
      await holder.query('commit')
      expect(await sent).toMatchObject([
        { reason: { status: 503 } },
        { reason: { status: 503 } },
        { value: [{ number: 3 }] },
        { value: [{ number: 4 }] },
      ])
    } finally {
      await holder.query('rollback')
      await holder.query('drop table locked')
      await holder.end()
    }
  })

  it('succeed after their table has changed, and after the server has forgotten their statement', async () => {
    await admin.query('create table changed as select 1 as id')
    const all = () => lookUps.run({ name: 'all', text: 'select * from changed where id = $1', values: [1] })
    try {
      expect(await all()).toEqual([{ id: 1 }])
      await admin.query('alter table changed add column more int')
      expect(await all()).toEqual([{ id: 1, more: null }])
      await lookUps.run({ text: 'discard all', values: [] })
      expect(await all()).toEqual([{ id: 1, more: null }])
    } finally {
      await admin.query('drop table changed')
    }
  })

  it('that were sent are finished by closing, also those whose connection is still being opened', async () => {
    await lookUps.run({ text: 'select 1', values: [] })
    const sent = [1, 2, 3].map((number) => lookUps.run({ text: 'select $1::int as number', values: [number] }))
    await lookUps.close()
    expect(await Promise.all(sent)).toEqual([[{ number: 1 }], [{ number: 2 }], [{ number: 3 }]])
  })

  it('fail after closing, and open no connection that would keep the process from ending', async () => {
    await lookUps.run({ text: 'select 1', values: [] })
    const closing = lookUps.close()
    const late = [1, 2].map(() => lookUps.run({ text: 'select 1', values: [] }))
    for (const result of await Promise.allSettled(late)) expect(result).toMatchObject({ reason: { status: 503 } })
    await closing
    await expect(lookUps.run({ text: 'select 1', values: [] })).rejects.toMatchObject({ status: 503 })
    await until(async () => expect(await backends()).toEqual([]))
  })

  it('fail while the server cannot be reached', async () => {
    const nowhere = new LookUps({ host: '127.0.0.1', port: 1 }, () => {})
    for (const _ of [1, 2]) {
      await expect(nowhere.run({ text: 'select 1', values: [] })).rejects.toThrow(/cannot be reached/)
    }
    await nowhere.close()
  })
})
