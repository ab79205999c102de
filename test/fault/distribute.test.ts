// @module-tag deep
import { Client as PostgresClient } from 'pg'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { createLogger } from '../../src/base/log.ts'
import { distributeDatabase } from '../../src/storage/distribute-database.ts'
import { MIGRATIONS, migrate } from '../../src/storage/migrate.ts'
import { tablesPlaced } from '../../src/storage/table-placements.ts'
import { installCitusStandIn, readCalls, readKeyDefinitions, runSql } from '../harness/citus-stand-in.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { launch, waitFor } from '../harness/server-process.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const distribute = (url: string, ...options: string[]) =>
  runInProcess(['distribute', ...options], { DATABASE_URL: url })

/** A stand-in records what would be called: see `citus-stand-in.ts`. */
describe('distribute', () => {
  it('without Citus, or with an older one, prints what to install', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    expect(await distribute(url)).toMatchObject({ code: 1, errors: expect.stringContaining('create extension citus') })
    await installCitusStandIn(url, { version: '12.1.5' })
    expect(await distribute(url)).toMatchObject({ code: 1, errors: expect.stringContaining('Upgrade to Citus 13') })
    expect(await readCalls(url)).toEqual([])
    expect(await distribute('file:none.db')).toMatchObject({ code: 1, errors: expect.stringContaining('`move`') })
  })

  it('places every table once, continues after a kill -9, and restores every foreign key', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    const keys = await readKeyDefinitions(url)
    await runSql(
      url,
      `insert into workspaces values ('${WORKSPACE}', 'One', null, now(), now(), null);
      insert into components values ('${WORKSPACE}', '${WORKSPACE}', 'A', null, now(), now(), null)`,
    )
    await installCitusStandIn(url, { stopAt: 'runs' })
    const admin = new PostgresClient({ connectionString: url, application_name: 'citus_internal test' })
    await admin.connect()
    await admin.query('select pg_advisory_lock(1)')
    const program = launch({ command: ['distribute'], environment: { DATABASE_URL: url } })
    await waitFor('the table of runs', async () => {
      if (program.hasEnded) throw new Error(`The server ended: ${program.errors}`)
      return (
        (
          await admin.query(`select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`)
        ).rowCount || undefined
      )
    })
    await program.kill()
    await admin.query('select pg_advisory_unlock(1)')
    await waitFor('the connections of the killed process to end', async () => {
      const left = await admin.query("select 1 from pg_stat_activity where application_name = 'touchstone distribute'")
      return left.rowCount === 0 || undefined
    })
    const started = await runInProcess(['migrate'], { DATABASE_URL: url })
    expect(started).toMatchObject({ code: 1, errors: expect.stringContaining('being spread over several nodes') })

    expect(await distribute(url)).toMatchObject({
      code: 0,
      errors: '',
      output: expect.stringMatching(/is distributed: \d+ tables/),
    })
    const calls = await readCalls(url)
    const references = tablesPlaced('every node').map((table) => `every node: ${table}`)
    const byWorkspace = tablesPlaced('by workspace').map((table) =>
      table === 'components' ? `by workspace_id with none: ${table}` : `by workspace_id with components: ${table}`,
    )
    const placing = calls.filter((call) => !call.startsWith('local rows'))
    expect(placing).toEqual([...references, ...byWorkspace])
    expect(calls.slice(placing.length).toSorted()).toEqual(PLACED.map((table) => `local rows: ${table}`).toSorted())
    expect(await readKeyDefinitions(url)).toEqual(keys)
    const analyzed = await admin.query("select reltuples from pg_class where relname = 'components'")
    expect(analyzed.rows).toEqual([{ reltuples: 1 }])

    expect(await distribute(url)).toMatchObject({ code: 0, output: expect.stringContaining('is already distributed') })
    expect(await readCalls(url)).toEqual(calls)
    expect(await runInProcess(['migrate'], { DATABASE_URL: url })).toMatchObject({ code: 0 })
    await admin.end()
  })

  it('is rejected while others are connected, when it is too large, and when a table is placed otherwise', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    await installCitusStandIn(url)
    const other = new PostgresClient({ connectionString: url })
    await other.connect()
    const connected = await distribute(url)
    await other.end()
    expect(connected).toMatchObject({ code: 1, errors: expect.stringContaining('1 other open connection.') })
    const storage = { url, log: createLogger('silent'), onFatal: () => {}, poolSizeMax: 2, statementTimeoutMs: 120_000 }
    const options = { storage, clock: systemClock(), bytesMax: 1_000, onProgress: () => {} }
    await expect(distributeDatabase({ ...options, size: 'limited' })).rejects.toThrow('use --force')
    await runSql(url, "insert into pg_dist_partition values ('users', 'h', 's')")
    expect((await distribute(url)).errors).toContain("select undistribute_table('users')")
    expect(await readCalls(url)).toEqual([])
    await runSql(url, 'delete from pg_dist_partition')
    expect((await distributeDatabase({ ...options, size: 'any' })).placed).toHaveLength(PLACED.length)
  })

  it('a table with fewer rows than before is an error, and its foreign keys stay away until it is looked into', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    await installCitusStandIn(url)
    await runSql(
      url,
      `insert into workspaces values ('${WORKSPACE}', 'One', null, now(), now(), null);
      create function lose() returns trigger language plpgsql as $$ begin delete from workspaces; return null; end $$;
      create trigger lose after insert on pg_dist_partition execute function lose()`,
    )
    expect((await distribute(url, '--force')).errors).toContain('The table workspaces had 1 rows and has 0 now')
    expect(await readKeyDefinitions(url)).toEqual([])
  })

  it('migrate moves tables of an older layout to the coordinator, with their foreign keys', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    const keys = await readKeyDefinitions(url)
    await installCitusStandIn(url)
    await runSql(
      url,
      `insert into pg_dist_partition select oid, case when relname = 'components' then 'h' else 'n' end::"char", 't'
      from pg_class where oid in ('components'::regclass, 'jobs'::regclass, 'sessions'::regclass, 'users'::regclass)`,
    )
    expect(await runInProcess(['migrate'], { DATABASE_URL: url })).toMatchObject({ code: 0 })
    expect(await readCalls(url)).toEqual(['coordinator: sessions', 'coordinator: jobs'])
    expect(await readKeyDefinitions(url)).toEqual(keys)
  })

  it('migrate of a layout made by hand that cannot be migrated prints a message and not a stack', async () => {
    const { url } = await createTestDatabase('postgres')
    const storage = await openTestStorage(url)
    await migrate(storage, systemClock(), MIGRATIONS.slice(0, 20))
    await storage.close()
    await installCitusStandIn(url)
    await runSql(
      url,
      `insert into pg_dist_partition values ('components', 'h', 's');
      create function reject() returns event_trigger language plpgsql as $$ begin
        raise exception using errcode = '0A000', message = 'creating unique indexes is unsupported'; end $$;
      create event trigger reject on ddl_command_start when tag in ('CREATE INDEX') execute function reject()`,
    )
    const { code, errors } = await runInProcess(['migrate'], { DATABASE_URL: url })
    expect({ code, lines: errors.trim().split('\n') }).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(/^Migration 0021-decisions cannot .*unsupported.*Undo the distribution.*`distribute`$/),
      ],
    })
  })

  it('migrate places the tables of later migrations, with the same foreign keys as on one node', async () => {
    const { url } = await createTestDatabase('postgres')
    const storage = await openTestStorage(url)
    await migrate(storage, systemClock(), MIGRATIONS.slice(0, 20))
    await installCitusStandIn(url)
    const before = await readTables(url)
    await runSql(
      url,
      `insert into pg_dist_partition
      select oid, 'h', 's' from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    await migrate(storage, systemClock())
    await storage.close()
    // By number, because some were renamed.
    const later = [...(await readTables(url))].flatMap(([oid, table]) => (before.has(oid) ? [] : [table]))
    expect(later).toContain('prompts')
    expect((await readCalls(url)).toSorted()).toEqual(
      later.map((table) => `by workspace_id with components: ${table}`).toSorted(),
    )
    const whole = await createTestDatabase('postgres', 'migrated')
    expect(await readKeyDefinitions(url)).toEqual(await readKeyDefinitions(whole.url))
  })
})

const PLACED = [...tablesPlaced('every node'), ...tablesPlaced('by workspace')]
const WORKSPACE = '018bcfe5-6800-7000-8000-000000000001'

async function readTables(url: string): Promise<Map<number, string>> {
  const { rows } = await runSql(
    url,
    "select oid, relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  )
  return new Map(rows.map(({ oid, relname }) => [Number(oid), String(relname)]))
}
