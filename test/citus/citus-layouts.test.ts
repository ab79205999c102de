import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { MIGRATIONS, migrate } from '../../src/storage/migrate.ts'
import { readForeignKeys } from '../../src/storage/postgres/catalog.ts'
import { runSql } from '../harness/citus-stand-in.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { startTestApp } from '../harness/test-app.ts'
import { openTestStorage } from '../harness/test-storage.ts'

describe('distribute', () => {
  it('of a database with data changes no response', async () => {
    const { url } = await createTestDatabase('postgres')
    const app = await startTestApp(url, { works: false })
    const { client, key } = await app.newWorkspace()
    const component = await client.create('/components', { name: 'Answers' })
    await client.create(`/components/${component}/datasets`, { name: 'Cases', traceIds: ['a', 'b'] })
    const spans = [1, 2, 3].map((number) => ({ traceId: traceIdOf(number), spanId: spanIdOf(number) }))
    expect((await client.post('/v1/traces', otlpRequest(spans))).status).toBe(200)
    const paths = ['/components', `/components/${component}/datasets`, '/traces', '/traces?q=name:*', '/traces/stats']
    const read = async (from: typeof client) => Promise.all(paths.map(async (path) => (await from.get(path)).text))
    const before = await read(client)
    await app.close()
    const { rows } = await runSql(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'touchstone search index'`,
    )
    expect(rows.length).toBeLessThanOrEqual(2)
    expect(await runInProcess(['distribute'], { DATABASE_URL: url })).toMatchObject({ code: 0 })
    const again = await startTestApp(url, { works: false })
    expect(await read(again.withKey(key))).toEqual(before)
    await again.close()
  })
})

describe('migrate', () => {
  it('moves the tables of an older layout to the coordinator', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    const storage = await openTestStorage(url)
    const keys = await readForeignKeys(storage.read)
    await storage.close()
    for (const table of ['jobs', 'api_keys', 'sessions']) await runSql(url, `select create_reference_table('${table}')`)
    expect(await runInProcess(['migrate'], { DATABASE_URL: url })).toMatchObject({ code: 0 })
    const { rows } = await runSql(
      url,
      "select logicalrelid::text as name from pg_dist_partition where repmodel = 't' order by 1",
    )
    expect(rows.map(({ name }) => name)).toEqual(['example_authors', 'users', 'workspaces'])
    const after = await openTestStorage(url)
    expect(await readForeignKeys(after.read)).toEqual(keys)
    await after.close()
  })

  it('of a layout made by hand says what to do, and that works', async () => {
    const { url } = await createTestDatabase('postgres')
    const storage = await openTestStorage(url)
    await migrate(storage, systemClock(), MIGRATIONS.slice(0, 20))
    for (const { table, name } of await readForeignKeys(storage.read))
      await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(storage.read)
    await storage.close()
    await runSql(url, "select create_reference_table('workspaces')")
    await runSql(url, "select create_distributed_table('components', 'workspace_id')")
    const environment = { DATABASE_URL: url }
    expect(await runInProcess(['migrate'], environment)).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^Migration 0021-decisions cannot be applied .*Layouts made by hand.*\n$/),
    })
    await runSql(url, remedy())
    expect(await runInProcess(['migrate'], environment)).toMatchObject({ code: 0 })
    expect(await runInProcess(['distribute'], environment)).toMatchObject({ code: 0 })
  })
})

/** As the guide has it. */
function remedy(): string {
  const guide = readFileSync(new URL('../../docs/guide/scaling.md', import.meta.url), 'utf8')
  return /```sql\n([^`]*)```/.exec(guide)?.[1] ?? ''
}
