// @module-tag sql
import { beforeEach, describe, expect, it } from 'vitest'
import type { RowValue } from '../../src/storage/row-batches.ts'
import { type ChangedRows, updateRows } from '../../src/storage/update-rows.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const WORKSPACE = '0199d2a0-0000-7000-8000-000000000001'
const OTHER = '0199d2a0-0000-7000-8000-000000000002'
const NOW = '2026-11-15T09:30:00.000Z'

type State = 'queued' | 'running' | 'failed'

/** Jobs have what matters here: a key of several columns and kinds, texts, numbers, and nothing that they must refer to. */
const CHANGE = {
  table: 'jobs',
  key: ['workspace_id', 'id', 'fence'],
  values: ['payload', 'attempts', 'last_error'],
  only: { column: 'state', words: ['queued', 'running'] },
} as const satisfies Omit<ChangedRows<'jobs'>, 'rows'>

describeEachStorage('changing many rows', (storage) => {
  beforeEach(async () => {
    await storage().transaction((tx) => tx.deleteFrom('jobs').execute())
  })

  async function insert(...jobs: { place: number; state: State; workspaceId?: string }[]): Promise<void> {
    const times = { run_at: NOW, created_at: NOW, lease_owner: null, lease_until: null }
    const rows = jobs.map(({ place, state, workspaceId = WORKSPACE }) => {
      const job = {
        id: idOf(place),
        kind: 'any',
        payload: 'before',
        state,
        attempts: 0,
        fence: 7,
        last_error: 'before',
      }
      return { workspace_id: workspaceId, ...job, ...times }
    })
    await storage().transaction((tx) => tx.insertInto('jobs').values(rows).execute())
  }

  const update = (rows: readonly (readonly RowValue[])[]) =>
    storage().transaction((tx) => updateRows(tx, { ...CHANGE, rows }))

  const stored = () =>
    storage()
      .read.selectFrom('jobs')
      .select(['workspace_id', 'id', 'payload', 'attempts', 'last_error'])
      .orderBy('workspace_id')
      .orderBy('id')
      .execute()

  const untouched = { payload: 'before', attempts: 0, last_error: 'before' }

  it('changes exactly the named rows that may be changed, and returns which of them were', async () => {
    await insert(
      { place: 1, state: 'queued' },
      { place: 2, state: 'failed' },
      { place: 3, state: 'running' },
      { place: 4, state: 'queued' },
      { place: 3, state: 'queued', workspaceId: OTHER },
    )
    const changed = await update([
      [WORKSPACE, idOf(3), 7, 'three', 3, null],
      [WORKSPACE, idOf(2), 7, 'two', 2, 'two'],
      [WORKSPACE, idOf(5), 7, 'five', 5, 'five'],
      [WORKSPACE, idOf(1), 7, 'one', 1, 'one'],
      [WORKSPACE, idOf(4), 8, 'four', 4, 'four'],
    ])
    expect(changed).toEqual([true, false, false, true, false])
    expect(await stored()).toEqual([
      { workspace_id: WORKSPACE, id: idOf(1), payload: 'one', attempts: 1, last_error: 'one' },
      { workspace_id: WORKSPACE, id: idOf(2), ...untouched },
      { workspace_id: WORKSPACE, id: idOf(3), payload: 'three', attempts: 3, last_error: null },
      { workspace_id: WORKSPACE, id: idOf(4), ...untouched },
      { workspace_id: OTHER, id: idOf(3), ...untouched },
    ])
  })

  it('a second time changes nothing that the first has ended', async () => {
    await insert({ place: 1, state: 'queued' })
    const end = (error: string) =>
      storage().transaction((tx) =>
        updateRows(tx, {
          ...CHANGE,
          values: ['state', 'last_error'],
          rows: [[WORKSPACE, idOf(1), 7, 'failed', error]],
        }),
      )
    expect(await end('first')).toEqual([true])
    expect(await end('second')).toEqual([false])
    expect(await stored()).toMatchObject([{ last_error: 'first' }])
  })

  it('sets separate values for each of many rows, in any number of statements', async () => {
    const count = 600
    const jobs = Array.from({ length: count }, (_, place) => {
      return { place, state: place % 3 === 0 ? ('failed' as const) : ('queued' as const) }
    })
    await insert(...jobs)
    const rows = Array.from({ length: count }, (_, place) => [WORKSPACE, idOf(place), 7, `row ${place}`, place, null])
    const changed = await update(rows)
    expect(changed).toEqual(rows.map((_, place) => place % 3 !== 0))
    expect((await stored()).map(({ payload }) => payload)).toEqual(
      rows.map((_, place) => (place % 3 === 0 ? 'before' : `row ${place}`)),
    )
  })

  it.each([
    'null',
    '',
    `quotes ' " \` and \\ and \\u0041`,
    '{"json": [1, null]}',
    'lines\r\n\ttabs \u2028 \u0001',
    '👍 e\u0301 漢字 \uffff',
    '$1 ? :name %s',
  ])('keeps the text %j unchanged', async (text) => {
    await insert({ place: 1, state: 'queued' })
    expect(await update([[WORKSPACE, idOf(1), 7, text, 1, text]])).toEqual([true])
    expect(await stored()).toMatchObject([{ payload: text, last_error: text }])
  })

  it('nothing to change is no change', async () => {
    await insert({ place: 1, state: 'queued' })
    expect(await update([])).toEqual([])
    expect(await stored()).toMatchObject([untouched])
  })

  describe('in a transaction that fails', () => {
    it('changes nothing', async () => {
      await insert({ place: 1, state: 'queued' })
      const failing = storage().transaction(async (tx) => {
        expect(await updateRows(tx, { ...CHANGE, rows: [[WORKSPACE, idOf(1), 7, 'one', 1, null]] })).toEqual([true])
        throw new Error('not after all')
      })
      await expect(failing).rejects.toThrow('not after all')
      expect(await stored()).toMatchObject([untouched])
    })
  })
})

function idOf(place: number): string {
  return `0199d2a0-0000-7000-8000-1${String(place).padStart(11, '0')}`
}
