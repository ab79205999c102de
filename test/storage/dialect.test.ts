import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { asId, leaseTime, textRows } from '../../src/storage/dialect.ts'
import { prepared } from '../../src/storage/prepared.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

describeEachStorage('dialect', (storage) => {
  it('turns one parameter into rows of text, whatever the text holds', async () => {
    const rows = [
      ['018bcfe5-6800-7000-8000-000000000001', 'plain'],
      ['018bcfe5-6800-7000-8000-000000000002', `quotes " ' \\ and 🧪`],
      ['018bcfe5-6800-7000-8000-000000000003', ''],
    ]
    const source = textRows(storage().read, ['id', 'ref'], rows)
    const query = sql<{ id: string; ref: string }>`select ${asId(storage().read, 'id')} as id, ref from ${source} as t`
    const { rows: read } = await query.execute(storage().read)
    expect(read.map(({ id, ref }) => [id, ref])).toEqual(rows)
  })

  it('orders lease times as they follow each other', async () => {
    const clock = systemClock()
    const q = storage().read
    const query = sql<{ past: number; future: number }>`select
      case when ${leaseTime(q, clock, -1)} < ${leaseTime(q, clock, 0)} then 1 else 0 end as past,
      case when ${leaseTime(q, clock, 20)} > ${leaseTime(q, clock, 0)} then 1 else 0 end as future`
    const { rows } = await query.execute(q)
    expect(rows).toEqual([{ past: 1, future: 1 }])
  })

  it('fills a prepared query with the values of each call', async () => {
    const echo = prepared<{ first: string; second: number; third: string | null }>()((q, value) =>
      q.selectNoFrom([
        sql<string>`cast(${value('first')} as text)`.as('first'),
        sql<number>`cast(${value('second')} as integer)`.as('second'),
        sql<string | null>`cast(${value('third')} as text)`.as('third'),
        sql<string>`cast(${value('first')} as text)`.as('again'),
      ]),
    )
    expect(await echo(storage().read, { first: 'a', second: 1, third: null })).toEqual([
      { first: 'a', second: 1, third: null, again: 'a' },
    ])
    expect(await echo(storage().read, { first: 'b', second: 2, third: 'c' })).toEqual([
      { first: 'b', second: 2, third: 'c', again: 'b' },
    ])
  })
})
