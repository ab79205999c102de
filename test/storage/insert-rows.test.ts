// @module-tag sql
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { insertNewRows, upsertRows } from '../../src/storage/insert-rows.ts'
import type { RowValue } from '../../src/storage/row-batches.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const WORKSPACE = '0199d2a0-0000-7000-8000-000000000001'
const NOW = '2026-11-15T09:30:00.000Z'
/** Rows of this length are sent to PostgreSQL in statements of three. */
const THIRD_OF_STATEMENT = 'x'.repeat((1 << 15) / 3)

const TEXTS = [
  '',
  'null',
  `quotes ' " \` and \\ and \\u0041 and \\\\`,
  '{"json": [1, null, "\\"\\n"]}',
  'lines\r\n\ttabs \u2028 \u0001 \u007f',
  '👍 e\u0301 漢字 \uffff',
  '$1 ? :name %s',
]

/** Jobs have what matters here: texts, numbers, times, nulls, and nothing that they must refer to. */
describeEachStorage('inserting many rows', (storage) => {
  beforeEach(async () => {
    await storage().transaction((tx) => tx.deleteFrom('jobs').execute())
  })

  const columns = [
    'workspace_id',
    'id',
    'kind',
    'payload',
    'state',
    'attempts',
    'fence',
    'run_at',
    'created_at',
    'last_error',
  ] as const

  type Job = { place: number; payload: string; lastError?: string | null; attempts?: number }

  const insert = (jobs: readonly Job[]) =>
    storage().transaction((tx) => insertNewRows(tx, { table: 'jobs', columns, rows: jobs.map(rowOf) }, ['id']))

  function rowOf({ place, payload, lastError = null, attempts = 0 }: Job): RowValue[] {
    return [WORKSPACE, idOf(place), 'any', payload, 'queued', attempts, 1, NOW, NOW, lastError]
  }

  const stored = () =>
    storage().read.selectFrom('jobs').select(['id', 'payload', 'last_error', 'created_at']).orderBy('id').execute()

  it('stores texts, nulls and times as they are, and reports every row as new', async () => {
    const jobs = TEXTS.map((payload, place) => ({ place, payload, lastError: place % 2 === 0 ? null : payload }))
    expect(await insert(jobs)).toEqual(TEXTS.map(() => true))
    expect(await stored()).toEqual(
      jobs.map(({ place, payload, lastError }) => {
        return { id: idOf(place), payload, last_error: lastError, created_at: NOW }
      }),
    )
  })

  it('of no rows does nothing', async () => {
    expect(await insert([])).toEqual([])
    expect(await stored()).toEqual([])
  })

  it('takes a row that is larger than a statement should be', async () => {
    const payload = 'ü'.repeat(1 << 16)
    expect(
      await insert([
        { place: 0, payload: 'a' },
        { place: 1, payload },
        { place: 2, payload: 'b' },
      ]),
    ).toEqual([true, true, true])
    expect((await stored()).map((row) => row.payload)).toEqual(['a', payload, 'b'])
  })

  it('leaves existing rows unchanged and reports which are new, over several statements', async () => {
    await insert([1, 4, 7].map((place) => ({ place, payload: 'before' })))
    const jobs = [...Array(9).keys()].map((place) => ({ place, payload: `${place} ${THIRD_OF_STATEMENT}` }))
    expect(await insert(jobs)).toEqual(jobs.map(({ place }) => place % 3 !== 1))
    expect((await stored()).map(({ payload }) => payload)).toEqual(
      jobs.map(({ place, payload }) => (place % 3 === 1 ? 'before' : payload)),
    )
  })

  it.each([
    ['the same statement', 'short'],
    ['different statements', THIRD_OF_STATEMENT.repeat(3)],
  ])('takes the first of two rows with the same key in %s', async (_, text) => {
    const rows = [
      { place: 1, payload: `first ${text}` },
      { place: 2, payload: `other ${text}` },
      { place: 1, payload: `second ${text}` },
    ]
    expect(await insert(rows)).toEqual([true, true, false])
    expect((await stored()).map(({ payload }) => payload)).toEqual([`first ${text}`, `other ${text}`])
  })

  it('stores nothing if a later statement fails', async () => {
    const rows = [...Array(12).keys()].map((place) => rowOf({ place, payload: THIRD_OF_STATEMENT }))
    const failing = storage().transaction((tx) =>
      insertNewRows(tx, { table: 'jobs', columns, rows: [...rows, rows[0]?.with(3, null) ?? []] }, ['id']),
    )
    await expect(failing).rejects.toThrow(/not.null/i)
    expect(await stored()).toEqual([])
  })
})

/** Rollups have keys with texts, and numbers of 64 bits. */
describeEachStorage('inserting or changing many rows', (storage) => {
  beforeEach(async () => {
    await storage().transaction((tx) => tx.deleteFrom('trace_rollups').execute())
  })

  const columns = [
    'workspace_id',
    'hour',
    'component_id',
    'status',
    'service',
    'environment',
    'traces',
    'tokens',
    'cost_usd',
  ] as const

  const ADD = `on conflict (workspace_id, hour, component_id, status, service, environment) do update set
    tokens = trace_rollups.tokens + excluded.tokens, cost_usd = trace_rollups.cost_usd + excluded.cost_usd`

  const add = (rows: readonly (readonly RowValue[])[]) =>
    storage().transaction((tx) => upsertRows(tx, { table: 'trace_rollups', columns, rows }, ADD))

  function rowOf(hour: number, service: string, tokens: RowValue, costUsd = 0): RowValue[] {
    return [WORKSPACE, hour, WORKSPACE, 'ok', service, '', 1, tokens, costUsd]
  }

  const stored = () =>
    storage()
      .read.selectFrom('trace_rollups')
      .select(['hour', 'service', 'cost_usd', sql<string>`cast(tokens as text)`.as('tokens')])
      .orderBy('hour')
      .execute()

  it('keeps texts of keys as they are, and changes the rows that exist', async () => {
    const rows = TEXTS.map((text, hour) => rowOf(hour, text, hour, 0.1))
    await add(rows)
    await add(rows.slice(2))
    expect(await stored()).toEqual(
      TEXTS.map((service, hour) => {
        return { hour, service, cost_usd: hour < 2 ? 0.1 : 0.2, tokens: String(hour < 2 ? hour : 2 * hour) }
      }),
    )
  })

  it('keeps every digit of numbers beyond 2^53, as numbers and as text', async () => {
    await add([rowOf(1, '', 9_007_199_254_740_993n), rowOf(2, '', '9007199254740993')])
    await add([rowOf(1, '', 1n), rowOf(2, '', '1')])
    expect((await stored()).map(({ tokens }) => tokens)).toEqual(['9007199254740994', '9007199254740994'])
  })

  it('of no rows does nothing', async () => {
    await add([])
    expect(await stored()).toEqual([])
  })

  it('adds to each row once, over several statements', async () => {
    const rows = [...Array(10).keys()].map((hour) => rowOf(hour, THIRD_OF_STATEMENT.slice(0, 2_000), hour))
    const many = [...Array(40).keys()].map((hour) => rowOf(hour, THIRD_OF_STATEMENT.slice(0, 2_000), 100))
    await add(rows)
    await add(many)
    expect((await stored()).map(({ tokens }) => Number(tokens))).toEqual(
      many.map((_, hour) => (hour < 10 ? 100 + hour : 100)),
    )
  })

  it('changes nothing if a later statement fails', async () => {
    await add([rowOf(0, 'a', 1)])
    const long = [...Array(12).keys()].map((hour) => rowOf(hour, hour === 0 ? 'a' : 'a'.repeat(2_000), 5))
    const failing = add([...long, ...long.map((row) => [...row.slice(0, 6), ...[null, 1, 1]])])
    await expect(failing).rejects.toThrow(/not.null/i)
    expect(await stored()).toMatchObject([{ hour: 0, tokens: '1' }])
  })
})

function idOf(place: number): string {
  return `0199d2a0-0000-7000-8000-1${String(place).padStart(11, '0')}`
}
