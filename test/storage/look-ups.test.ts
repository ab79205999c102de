/** Look-ups that share connections to PostgreSQL. */

import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { LookUps } from '../../src/storage/postgres/look-ups.ts'

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

  it('fail while the server cannot be reached', async () => {
    const nowhere = new LookUps({ host: '127.0.0.1', port: 1 }, () => {})
    for (const _ of [1, 2]) {
      await expect(nowhere.run({ text: 'select 1', values: [] })).rejects.toThrow(/cannot be reached/)
    }
    await nowhere.close()
  })
})
