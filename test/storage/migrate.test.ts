// @module-tag sql
import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { MIGRATIONS, type Migration, migrate } from '../../src/storage/migrate.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const later: Migration = { name: '9999-later', statements: () => ['create table later (id text primary key)'] }

describeEngines('migrate', (engine) => {
  const opened: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0)) await close()
  })

  async function open(): Promise<Storage> {
    const database = await createTestDatabase(engine)
    const storage = await openTestStorage(database.url)
    opened.push(async () => {
      await storage.close()
      database.remove()
    })
    return storage
  }

  it('applies missing migrations once, and returns their names', async () => {
    const storage = await open()
    const all = MIGRATIONS.map(({ name }) => name)
    expect(await migrate(storage, systemClock())).toEqual(all)
    expect(await migrate(storage, systemClock())).toEqual([])
    expect(await migrate(storage, systemClock(), [...MIGRATIONS, later])).toEqual(['9999-later'])
  })

  it('rejects a database of a newer version, and does not change it', async () => {
    const storage = await open()
    await migrate(storage, systemClock(), [...MIGRATIONS, later])
    await expect(migrate(storage, systemClock())).rejects.toThrow(/newer Touchstone \(it has migration 9999-later\)/)
    const { rows } = await sql`select * from later`.execute(storage.read)
    expect(rows).toEqual([])
  })

  it('stops with an error when an applied migration was edited', async () => {
    const storage = await open()
    await migrate(storage, systemClock(), [later])
    const edited = { ...later, statements: () => ['create table later (id text primary key, more text)'] }
    await expect(migrate(storage, systemClock(), [edited])).rejects.toThrow(/9999-later was changed after/)
  })

  it('leaves the old schema whole when a migration fails in the middle', async () => {
    const storage = await open()
    const broken: Migration = {
      name: '9998-broken',
      statements: () => ['create table half (id text)', 'create nonsense'],
    }
    await expect(migrate(storage, systemClock(), [...MIGRATIONS, broken])).rejects.toThrow()
    await expect(sql`select * from half`.execute(storage.read)).rejects.toThrow()
    expect(await migrate(storage, systemClock())).toEqual(MIGRATIONS.map(({ name }) => name))
  })

  it('lets two processes start on an empty database at once', async () => {
    const storage = await open()
    const both = await Promise.all([migrate(storage, systemClock()), migrate(storage, systemClock())])
    expect(both.flat()).toEqual(MIGRATIONS.map(({ name }) => name))
  })

  it('0007 revokes the keys of former members permanently, and keeps those of members with their rights', async () => {
    const storage = await open()
    const before = MIGRATIONS.filter(({ name }) => name < '0007')
    await migrate(storage, systemClock(), before)
    const [workspace, member, former] = ['1', '2', '3'].map((digit) => `01890a5d-ac96-774b-bcce-b302099a805${digit}`)
    const at = '2026-01-01T00:00:00.000Z'
    await storage.transaction(async (tx) => {
      await sql`insert into workspaces (id, name, created_at, updated_at) values (${workspace}, 'a', ${at}, ${at})`.execute(
        tx,
      )
      await sql`insert into users (id, email, name, created_at, updated_at) values (${member}, 'a@x.org', 'a', ${at}, ${at})`.execute(
        tx,
      )
      await sql`insert into members (workspace_id, user_id, role, created_at) values (${workspace}, ${member}, 'admin', ${at})`.execute(
        tx,
      )
      for (const by of [member, former])
        await sql`insert into api_keys (workspace_id, id, name, prefix, last_four, key_hash, created_by, created_at)
          values (${workspace}, ${by}, 'a', '', '', ${`hash of ${by}`}, ${by}, ${at})`.execute(tx)
    })
    await migrate(storage, systemClock())
    const keys = await storage.read.selectFrom('api_keys').select(['id', 'role']).execute()
    expect(keys).toEqual([{ id: member, role: 'editor' }])
    const revoked = await storage.read.selectFrom('revoked_api_keys').select(['workspace_id', 'key_hash']).execute()
    expect(revoked).toEqual([{ workspace_id: workspace, key_hash: `hash of ${former}` }])
  })

  it('0013 lists those who left an application, or who annotated in it and are no members', async () => {
    const storage = await open()
    await migrate(
      storage,
      systemClock(),
      MIGRATIONS.filter(({ name }) => name < '0013'),
    )
    const ids = ['1', '2', '3', '4', '5', '6', '7'].map((digit) => `01890a5d-ac96-774b-bcce-b302099a805${digit}`)
    const [workspace, member, left, author, component, dataset, run] = ids
    const at = '2026-01-01T00:00:00.000Z'
    const all = sql`(workspace_id, id, name, created_at, updated_at)`
    await storage.transaction(async (tx) => {
      const statements = [
        sql`insert into workspaces (id, name, created_at, updated_at) values (${workspace}, 'a', ${at}, ${at})`,
        ...[member, left, author].map(
          (id) =>
            sql`insert into users (id, email, name, created_at, updated_at) values (${id}, ${id}, 'a', ${at}, ${at})`,
        ),
        sql`insert into members (workspace_id, user_id, role, created_at) values (${workspace}, ${member}, 'admin', ${at})`,
        // Someone who left and came back is a member.
        ...[member, left].map(
          (id) => sql`insert into audit_events
            (workspace_id, id, actor_id, actor_kind, action, resource_id, request_id, created_at)
            values (${workspace}, ${id}, ${id}, 'session', 'member.left', ${id}, '', ${at})`,
        ),
        sql`insert into components ${all} values (${workspace}, ${component}, 'a', ${at}, ${at})`,
        sql`insert into datasets (workspace_id, id, component_id, name, item_count, created_at)
          values (${workspace}, ${dataset}, ${component}, 'a', 0, ${at})`,
        sql`insert into runs (workspace_id, id, component_id, dataset_id, trace_count, created_at)
          values (${workspace}, ${run}, ${component}, ${dataset}, 0, ${at})`,
        ...[member, left, author].map(
          (id) => sql`insert into annotations (workspace_id, id, run_id, trace_ref, user_id, created_at, updated_at)
            values (${workspace}, ${id}, ${run}, 't', ${id}, ${at}, ${at})`,
        ),
      ]
      for (const statement of statements) await statement.execute(tx)
    })
    await migrate(storage, systemClock())
    const former = await storage.read.selectFrom('former_members').selectAll().orderBy('user_id').execute()
    expect(former).toEqual([left, author].map((id) => ({ workspace_id: workspace, user_id: id, left_at: at })))
  })

  it('0029 renames tables, columns and the kind of jobs, and keeps their rows', async () => {
    const storage = await open()
    await migrate(
      storage,
      systemClock(),
      MIGRATIONS.filter(({ name }) => name < '0029'),
    )
    const [workspace, trace, job, component, decision] = ['1', '2', '3', '4', '5'].map(
      (digit) => `01890a5d-ac96-774b-bcce-b302099a805${digit}`,
    )
    const at = '2026-01-01T00:00:00.000Z'
    await storage.transaction(async (tx) => {
      const statements = [
        sql`insert into workspaces (id, name, created_at, updated_at) values (${workspace}, 'a', ${at}, ${at})`,
        sql`insert into components (workspace_id, id, name, created_at, updated_at)
          values (${workspace}, ${component}, 'a', ${at}, ${at})`,
        sql`insert into span_origins (workspace_id, hash, resource, scope, used_on)
          values (${workspace}, 'hash', '{}', '{}', '2026-01-01')`,
        sql`insert into traces (workspace_id, id, trace_id, named_by, status, tags, start_ns, span_count, error_count, told_by,
            answer_failed_ns, answer_given_ns, created_at)
          values (${workspace}, ${trace}, 't', 'root', 'ok', '[]', 1, 1, 0, '[["n","root","1","s"]]', 2, 3, ${at})`,
        sql`insert into spans (workspace_id, trace_id, span_id, name, kind, otel_kind, start_ns, status, attributes, origin,
            is_covered, is_orphan)
          values (${workspace}, ${trace}, 's', 'a', 'llm', 1, 1, 'ok', '{}', 'hash', 3, 0)`,
        sql`insert into decisions (workspace_id, id, component_id, baseline_run_id, candidate_run_id, user_id, decision, note, verdict,
            summary, snapshot, open_verdict, open_summary, open_snapshot, created_at)
          values (${workspace}, ${decision}, ${component}, ${trace}, ${trace}, ${trace}, 'hold', '', 'improved', 'a', '{}',
            'regressed', 'b', '[]', ${at})`,
        ...['reclaim', 'reprice'].map(
          (
            kind,
            index,
          ) => sql`insert into jobs (workspace_id, id, kind, payload, state, attempts, fence, run_at, created_at)
            values (${workspace}, ${[job, trace][index]}, ${kind}, '{}', 'queued', 0, 0, ${at}, ${at})`,
        ),
      ]
      for (const statement of statements) await statement.execute(tx)
    })
    await migrate(storage, systemClock())
    const { read } = storage
    expect(await read.selectFrom('resource_scopes').select(['workspace_id', 'hash']).execute()).toEqual([
      { workspace_id: workspace, hash: 'hash' },
    ])
    expect(
      await read.selectFrom('traces').select(['field_sources', 'last_failure_ns', 'last_answer_ns']).execute(),
    ).toEqual([{ field_sources: '[["n","root","1","s"]]', last_failure_ns: 2, last_answer_ns: 3 }])
    expect(await read.selectFrom('spans').select(['resource_scope', 'covered_usage']).execute()).toEqual([
      { resource_scope: 'hash', covered_usage: 3 },
    ])
    const withoutRatings = ['verdict_without_ratings', 'summary_without_ratings', 'snapshot_without_ratings'] as const
    expect(await read.selectFrom('decisions').select(withoutRatings).execute()).toEqual([
      { verdict_without_ratings: 'regressed', summary_without_ratings: 'b', snapshot_without_ratings: '[]' },
    ])
    expect(await read.selectFrom('jobs').select(['id', 'kind']).orderBy('kind').execute()).toEqual([
      { id: job, kind: 'purge' },
      { id: trace, kind: 'reprice' },
    ])
  })

  it('0047 numbers the items of each dataset in the order of their ids', async () => {
    const storage = await open()
    await migrate(
      storage,
      systemClock(),
      MIGRATIONS.filter(({ name }) => name < '0047'),
    )
    const ids = Array.from({ length: 7 }, (_, place) => `01890a5d-ac96-774b-bcce-b302099a805${place}`)
    const [workspace, component, full, empty, ...items] = ids
    const at = '2026-01-01T00:00:00.000Z'
    await storage.transaction(async (tx) => {
      const statements = [
        sql`insert into workspaces (id, name, created_at, updated_at) values (${workspace}, 'a', ${at}, ${at})`,
        sql`insert into components (workspace_id, id, name, created_at, updated_at)
          values (${workspace}, ${component}, 'a', ${at}, ${at})`,
        ...[full, empty].map(
          (id) => sql`insert into datasets (workspace_id, id, component_id, name, item_count, created_at)
            values (${workspace}, ${id}, ${component}, 'a', 0, ${at})`,
        ),
        ...items.toReversed().map(
          (id) => sql`insert into dataset_items (workspace_id, dataset_id, id, created_at)
            values (${workspace}, ${full}, ${id}, ${at})`,
        ),
      ]
      for (const statement of statements) await statement.execute(tx)
    })
    await migrate(storage, systemClock())
    const { read } = storage
    const numbered = await read
      .selectFrom('dataset_items')
      .select(['id', 'case_number as number'])
      .orderBy('id')
      .execute()
    expect(numbered).toEqual(items.map((id, place) => ({ id, number: place + 1 })))
    const datasets = await read.selectFrom('datasets').select('last_case_number as last').orderBy('id').execute()
    expect(datasets).toEqual([{ last: 3 }, { last: 0 }])
  })
})
