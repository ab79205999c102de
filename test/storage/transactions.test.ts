// @module-tag sql
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { timestamp } from '../../src/base/clock.ts'
import type { Queries } from '../../src/storage/db.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const NOW = timestamp(1_700_000_000_000)

function idOf(number: number): string {
  return `018bcfe5-6800-7000-8000-${number.toString(16).padStart(12, '0')}`
}

async function insertWorkspace(tx: Queries, id: string, name = 'A workspace'): Promise<void> {
  await tx
    .insertInto('workspaces')
    .values({ id, name, description: null, created_at: NOW, updated_at: NOW, deleted_at: null })
    .execute()
}

async function insertComponent(tx: Queries, workspaceId: string, id: string): Promise<void> {
  await tx
    .insertInto('components')
    .values({
      workspace_id: workspaceId,
      id,
      name: 'c',
      description: null,
      created_at: NOW,
      updated_at: NOW,
      deleted_at: null,
    })
    .execute()
}

describeEachStorage('transactions', (storage) => {
  it('keep the others when one of those that share a commit fails', async () => {
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((number) =>
        storage().transaction(async (tx) => {
          await insertWorkspace(tx, idOf(number))
          if (number === 2) throw new Error('this one fails')
        }),
      ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    const rows = await storage().read.selectFrom('workspaces').select('id').orderBy('id').execute()
    expect(rows.map(({ id }) => id)).toEqual([idOf(1), idOf(3), idOf(4)])
  })

  it('are seen by reads only once they are acknowledged', async () => {
    let during: number | undefined
    await storage().transaction(async (tx) => {
      await insertWorkspace(tx, idOf(10))
      during = (await storage().read.selectFrom('workspaces').select('id').where('id', '=', idOf(10)).execute()).length
    })
    const after = await storage().read.selectFrom('workspaces').select('id').where('id', '=', idOf(10)).execute()
    expect({ during, after: after.length }).toEqual({ during: 0, after: 1 })
  })

  it('cannot create a reference to another workspace', async () => {
    await storage().transaction(async (tx) => {
      await insertWorkspace(tx, idOf(20))
      await insertWorkspace(tx, idOf(21))
      await insertComponent(tx, idOf(20), idOf(22))
    })
    const dataset = { id: idOf(23), component_id: idOf(22), name: 'd', description: null, item_count: 0 }
    const crossing = storage().transaction((tx) =>
      tx
        .insertInto('datasets')
        .values({ ...dataset, workspace_id: idOf(21), created_at: NOW, deleted_at: null })
        .execute(),
    )
    await expect(crossing).rejects.toThrow(/foreign key/i)
    const within = storage().transaction((tx) =>
      tx
        .insertInto('datasets')
        .values({ ...dataset, workspace_id: idOf(20), created_at: NOW, deleted_at: null })
        .execute(),
    )
    await expect(within).resolves.toBeDefined()
  })

  it('return times and text exactly as stored', async () => {
    const name = 'Ünïcode 🧪 \u202e \uffff "quotes" \\ \n'
    await storage().transaction((tx) => insertWorkspace(tx, idOf(30), name))
    const row = await storage()
      .read.selectFrom('workspaces')
      .select(['name', 'created_at'])
      .where('id', '=', idOf(30))
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ name, created_at: NOW })
  })

  it('are rejected outside of transaction(), so that all writes use the one writer', async () => {
    if (storage().engine !== 'sqlite') return
    await expect(insertWorkspace(storage().read, idOf(40))).rejects.toThrow()
  })

  it('count exactly when many change the same row at once', async () => {
    await storage().transaction((tx) => insertWorkspace(tx, idOf(50), '0'))
    await Promise.all(
      Array.from({ length: 40 }, () =>
        storage().transaction((tx) =>
          sql`update workspaces set name = cast(cast(name as integer) + 1 as text) where id = ${idOf(50)}`.execute(tx),
        ),
      ),
    )
    const row = await storage()
      .read.selectFrom('workspaces')
      .select('name')
      .where('id', '=', idOf(50))
      .executeTakeFirst()
    expect(row?.name).toBe('40')
  })
})
