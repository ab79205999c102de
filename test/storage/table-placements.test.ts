// @module-tag sql
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columnTypes } from '../../src/storage/dialect.ts'
import { MIGRATIONS } from '../../src/storage/migrate.ts'
import { readForeignKeys, readTableShapes } from '../../src/storage/postgres/catalog.ts'
import { splitForeignKeys } from '../../src/storage/postgres/split-foreign-keys.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { TABLE_NAMES, tablesPlaced } from '../../src/storage/table-placements.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { openTestStorage } from '../harness/test-storage.ts'

describe('the placement of tables', () => {
  let storage: Storage
  beforeAll(async () => {
    storage = await openTestStorage((await createTestDatabase('postgres', 'migrated')).url)
  })
  afterAll(() => storage.close())

  it('lists the placement of every table of the schema, and of no other', async () => {
    const tables = (await readTableShapes(storage.read)).map(({ name }) => name)
    expect(tables.filter((table) => table !== 'schema_migrations').toSorted()).toEqual(TABLE_NAMES.toSorted())
  })

  it('tables by workspace have the workspace in every unique key', async () => {
    const { rows } = await sql<{ table: string; columns: string[] }>`
      select c.relname as table, (select json_agg(a.attname) from pg_attribute as a
        where a.attrelid = c.oid and a.attnum = any (i.indkey)) as columns
      from pg_index as i join pg_class as c on c.oid = i.indrelid
      where i.indisunique and c.relnamespace = 'public'::regnamespace`.execute(storage.read)
    for (const table of tablesPlaced('by workspace')) {
      const keys = rows.filter((index) => index.table === table)
      expect(keys.length, table).toBeGreaterThan(0)
      for (const { columns } of keys) expect(columns, table).toContain('workspace_id')
    }
  })

  it('tables by workspace refer to each other with the workspace, and no placed table to one of the coordinator', async () => {
    const byWorkspace = tablesPlaced('by workspace')
    const ofCoordinator = tablesPlaced('coordinator')
    for (const { table, parent, columns } of await readForeignKeys(storage.read)) {
      if (ofCoordinator.includes(parent)) expect(ofCoordinator, `${table} refers to ${parent}`).toContain(table)
      if (!byWorkspace.includes(parent)) continue
      expect(byWorkspace, `${table} refers to ${parent}`).toContain(table)
      expect(columns, `${table} refers to ${parent}`).toContain('workspace_id')
    }
  })

  it('migrations whose foreign keys are created separately create the same ones', async () => {
    const other = await openTestStorage((await createTestDatabase('postgres')).url)
    await other.transaction(async (tx) => {
      for (const migration of MIGRATIONS) {
        for (const whole of migration.statements(columnTypes(tx))) {
          const { statement, foreignKeys } = splitForeignKeys(whole)
          expect(statement).not.toMatch(/\breferences \w+ \(/)
          for (const part of [statement, ...foreignKeys]) await sql.raw(part).execute(tx)
        }
      }
    })
    expect(await readForeignKeys(other.read)).toEqual(await readForeignKeys(storage.read))
    expect(await readTableShapes(other.read)).toEqual(
      (await readTableShapes(storage.read)).filter(({ name }) => name !== 'schema_migrations'),
    )
    await other.close()
  })
})
