// @module-tag sql
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import {
  asId,
  containsText,
  dbNow,
  hasTable,
  jsonNumber,
  jsonText,
  likeText,
  resemblesText,
  textRows,
  withoutIndex,
} from '../../src/storage/dialect.ts'
import { prepared } from '../../src/storage/query-building.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

describeEachStorage('dialect', (storage) => {
  it('turns one parameter into rows of text, for any text', async () => {
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
      case when ${dbNow(q, clock, -1)} < ${dbNow(q, clock, 0)} then 1 else 0 end as past,
      case when ${dbNow(q, clock, 20)} > ${dbNow(q, clock, 0)} then 1 else 0 end as future`
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

  it('finds text in text with any characters, ignoring the case of ASCII letters and of no others', async () => {
    const q = storage().read
    const isFound = async (text: string, needle: string) => {
      const found = containsText(q, sql<string>`cast(${text} as text)`, needle)
      const { rows } = await sql<{ found: number }>`select case when ${found} then 1 else 0 end as found`.execute(q)
      return rows[0]?.found === 1
    }
    expect(await isFound('The REFUND policy', likeText('refund POLICY'))).toBe(true)
    expect(await isFound('Ärger', likeText('Ä'))).toBe(true)
    expect(await isFound('ärger', likeText('Ä'))).toBe(false)
    for (const sign of ['%', '_', '\\', "'", '"', '🧪']) {
      expect(await isFound(`a${sign}b`, likeText(`a${sign}b`))).toBe(true)
      expect(await isFound('axb', likeText(`a${sign}b`))).toBe(false)
    }
    expect(await isFound('a🧪b', 'a_b')).toBe(true)
    expect(await isFound('a🧪🧪b', 'a_b')).toBe(false)
    expect(await isFound('-a🧪\n🧪b-', 'a%b')).toBe(true)
  })

  it('compares text as a whole unless the pattern has gaps at its ends', async () => {
    const q = storage().read
    const text = sql<string>`cast('Checkout' as text)`
    const query = sql<{ whole: number; part: number; open: number }>`select
      case when ${resemblesText(q, text, 'CHECKOUT')} then 1 else 0 end as whole,
      case when ${resemblesText(q, text, 'check')} then 1 else 0 end as part,
      case when ${resemblesText(q, text, 'check%')} then 1 else 0 end as open`
    expect((await query.execute(q)).rows).toEqual([{ whole: 1, part: 0, open: 1 }])
  })

  it('reads members of JSON by their exact names, numbers separately', async () => {
    const q = storage().read
    const members: [name: string, json: string, text: string | null, number: number | null][] = [
      ['a.b', '"x"', 'x', null],
      ['odd "key" \\ ä', '"\\u00e4\\n"', 'ä\n', null],
      ['__proto__', 'true', 'true', null],
      ['no', 'false', 'false', null],
      ['null', 'null', null, null],
      ['list', '["a",1]', '["a",1]', null],
      ['whole', '5', null, 5],
      ['fraction', '0.25', null, 0.25],
      ['huge', '1e+21', null, 1e21],
    ]
    const json = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
    const column = sql<string>`cast(${json} as text)`
    for (const [name, , text, number] of [...members, ['a', '', null, null] as const]) {
      const query = sql`select ${jsonText(q, column, name)} as text, ${jsonNumber(q, column, name)} as number`
      expect((await query.execute(q)).rows, name).toEqual([{ text, number }])
    }
  })

  it('hides a column from the choice of an index without changing its value', async () => {
    const q = storage().read
    const query = sql`select ${withoutIndex(q, 'n')} as n from (select 5 as n) as t`
    expect((await query.execute(q)).rows).toEqual([{ n: 5 }])
  })

  it('finds a table by its exact name', async () => {
    const found = await Promise.all(['spans', 'Spans', 'none'].map((name) => hasTable(storage().read, name)))
    expect(found).toEqual([true, false, false])
  })
})
