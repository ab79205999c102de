import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { Client as PostgresClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import description from '../../openapi.json' with { type: 'json' }
import { TABLE_NAMES } from '../../src/storage/table-placements.ts'
import type { Client } from '../harness/client.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { launch, waitFor } from '../harness/server-process.ts'
import { startTestApp } from '../harness/test-app.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import type { Ids } from '../isolation/route-requests.ts'
import { seedTenant, type Tenant } from '../isolation/seed-tree.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'

/** More than one batch. */
const ITEMS = 1_500
/** The view has the locks of all databases. */
const IN_DATABASE = 'database = (select oid from pg_database where datname = current_database())'
/** Responses that depend on the process or the engine, or that an admin of one application is denied, which is recorded. */
const CHANGING = /^\/(events|health|ready|openapi|onboarding|instance\/(health|allowed-targets))/

describe('move', () => {
  let source: TestDatabase
  let target: TestDatabase
  let half: TestDatabase
  let tenant: Tenant
  let before: Map<string, string>
  /** From then on, so that responses do not depend on the time. */
  let frozenAt: number | undefined
  const clock = { now: () => frozenAt ?? Date.now(), elapsed: () => performance.now() }
  let whileServed: Awaited<ReturnType<typeof move>>

  beforeAll(async () => {
    source = await createTestDatabase('sqlite', 'migrated')
    target = await createTestDatabase('postgres')
    const app = await startTestApp(source.url, { clock })
    tenant = await seedTenant(app, 'moved')
    const example = Object((await tenant.session.send('POST', '/example-data')).body)
    const traceIds = Array.from({ length: ITEMS }, (_, place) => `item-${place}`)
    await tenant.session.create(`/components/${tenant.ids.componentId}/datasets`, {
      name: 'Ünïcode 🦉 "quoted" \\ line\nbreak',
      traceIds,
    })
    await waitForJobs(app.storage, tenant.workspaceId)
    frozenAt = Date.now()
    before = await readAll(tenant.session, pathsOf(tenant.ids, example))
    whileServed = await move(target.url)
    await app.close()
  })

  afterAll(() => source.remove())

  const move = (to: string, ...options: string[]) =>
    runInProcess(['move', '--to', to, ...options], { DATABASE_URL: source.url })

  it('is rejected while a server uses the source', () => {
    expect(whileServed).toMatchObject({ code: 1, errors: expect.stringContaining('Stop that server first') })
  })

  it('continues after a kill -9 in the middle of a table, and no server starts on the half', async () => {
    half = await createTestDatabase('postgres', 'migrated')
    const admin = new PostgresClient({ connectionString: half.url })
    await admin.connect()
    // The row stands in the second batch of its table; the move waits there for the lock.
    await admin.query(`
      create function wait_for_test() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(1); return new; end $$;
      create trigger wait_for_test before insert on dataset_items for each row
        when (new.trace_ref = 'item-${ITEMS - 1}') execute function wait_for_test();
      select pg_advisory_lock(1)`)
    const program = launch({ command: ['move', '--to', half.url], environment: { DATABASE_URL: source.url } })
    await waitFor('the second batch', async () => {
      if (program.hasEnded) throw new Error(`The server ended: ${program.errors}`)
      return (
        (await admin.query(`select 1 from pg_locks where locktype = 'advisory' and not granted and ${IN_DATABASE}`))
          .rowCount || undefined
      )
    })
    await program.kill()
    const partial = await admin.query('select count(*)::int as count from dataset_items')
    expect(partial.rows).toEqual([{ count: 1_000 }])
    const started = await runInProcess(['migrate'], { DATABASE_URL: half.url })
    expect(started).toMatchObject({
      code: 1,
      errors: expect.stringContaining('Data is being moved into this database'),
    })
    const other = await createTestDatabase('sqlite')
    await runInProcess(['migrate'], { DATABASE_URL: other.url })
    const elsewhere = await runInProcess(['move', '--to', half.url], { DATABASE_URL: other.url })
    expect(elsewhere.errors).toContain('has a part of another installation')
    other.remove()

    await admin.query('select pg_advisory_unlock(1); drop trigger wait_for_test on dataset_items')
    expect(await move(half.url)).toMatchObject({ code: 0 })
    expect(await countsOf(half.url)).toEqual(await countsOf(source.url))
    await admin.end()
  })

  it('a row that differs in one value is noticed, and --restart copies everything again', async () => {
    // As a move leaves it that was interrupted while it compared; since then the source was changed.
    await query(
      half.url,
      `create table move_progress as select relname::text as table_name, '${createdAtOf(source)}' as source,
        null::text as last_key, true as is_complete from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace;
      update spans set start_ns = start_ns + 1 where position = 1`,
    )
    const differs = /: 1 of \d+ rows of spans differ.*--restart/
    expect(await move(half.url)).toMatchObject({ code: 1, errors: expect.stringMatching(differs) })
    expect(await move(half.url, '--restart')).toMatchObject({ code: 0 })
    expect(await countsOf(half.url)).toEqual(await countsOf(source.url))
  })

  it('keeps every response byte for byte, sessions and keys included, and continues the counters', async () => {
    const secretKeyFile = `${source.url.slice('file:'.length)}-secret-key`
    writeFileSync(secretKeyFile, `${'5e'.repeat(32)}\n`)
    const moved = await move(target.url)
    // On a busy machine it shows its progress.
    expect(moved).toMatchObject({ code: 0, errors: expect.stringMatching(/^(\d+ % \(.*\)\n)*$/) })
    const { dataset_items: items } = await countsOf(source.url)
    expect(moved.output).toMatch(new RegExp(`^ +dataset_items +${items}$`, 'm'))
    expect(moved.output).toContain(`TOUCHSTONE_SECRET_KEY="$(paste -sd, '${secretKeyFile}')" npm start`)
    expect(moved.output).not.toMatch(/:[^/\s]+@/)
    expect(await countsOf(target.url)).toEqual(await countsOf(source.url))
    const unanalyzed = "select relname from pg_class where relname in ('dataset_items', 'spans') and reltuples <= 0"
    expect((await query(target.url, unanalyzed)).rows, 'tables without statistics').toEqual([])
    const app = await startTestApp(target.url, { clock })
    const session = app.asPerson(tenant.owner, tenant.workspaceId)
    const after = await readAll(session, before.keys())
    const differing = [...before].filter(([path, text]) => after.get(path) !== text)
    expect(differing.map(([path, text]) => `${path}\n${text}\n${after.get(path)}`)).toEqual([])
    // The others lack a query that is given in another path; and the experiment of the tree has found nothing.
    const failed = [...before].filter(([, text]) => !text.startsWith('200 '))
    expect(failed.map(([, text]) => text)).toEqual(
      failed.map(() => expect.stringMatching(/is required"}$|^404 .*Iteration not found"}$/)),
    )
    expect(before.size - failed.length).toBeGreaterThan(80)
    // The column has no index that would reject a number twice.
    await sendSpans(app.withKey(tenant.secret), [{ traceId: traceIdOf(77), spanId: spanIdOf(1) }])
    const { rows } = await query(target.url, 'select count(*) = count(distinct position) as "isUnique" from spans')
    expect(rows).toEqual([{ isUnique: true }])
    await app.close()
  })

  it.each([
    ['a file', () => source.url, '--to must be the address of a PostgreSQL database'],
    ['rows there', () => target.url, 'is in use already'],
    ['no server there', () => 'postgres://127.0.0.1:1/none', 'Check host, port, name, user and password of --to'],
  ])('an unusable target gets a message with what to do: %s', async (_, to, message) => {
    expect(await move(to())).toMatchObject({ code: 1, errors: expect.stringContaining(message), output: '' })
  })

  it('a server that is not PostgreSQL, tables of another program and missing rights are named as such', async () => {
    const listener = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const { port } = Object(listener.address())
    const answered = await move(`postgres://127.0.0.1:${port}/none`)
    listener.close()
    expect(answered).toMatchObject({ code: 1, errors: expect.stringContaining('that it is a PostgreSQL server') })
    const foreign = await createTestDatabase('postgres')
    await query(foreign.url, 'create table users (id integer)')
    expect((await move(foreign.url)).errors).toContain('belongs to another program: it has a table users')
    await query(foreign.url, 'drop table users; drop role if exists mover; create role mover login')
    const asMover = new URL(foreign.url)
    asMover.username = 'mover'
    expect((await move(asMover.href)).errors).toContain('may not create tables')
    await query(foreign.url, 'drop role mover')
  })

  it('a source that is not embedded, or does not exist, is not touched', async () => {
    const same = await runInProcess(['move', '--to', target.url], { DATABASE_URL: target.url })
    expect(same).toMatchObject({ code: 1, errors: expect.stringContaining('pg_dump') })
    const none = await runInProcess(['move', '--to', target.url], { DATABASE_URL: `${source.url}-none` })
    expect(none).toMatchObject({ code: 1, errors: expect.stringContaining('There is no database') })
    expect((await runInProcess(['move'], { DATABASE_URL: source.url })).errors).toContain('move --to URL')
  })
})

async function query(url: string, statement: string) {
  const client = new PostgresClient({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Every GET of the description, with the ids of the tree; and what needs a query. */
function pathsOf(ids: Ids, example: { componentId: string; runIds: string[] }): string[] {
  const plain = Object.entries(description.paths)
    .filter(([, methods]) => 'get' in methods)
    .map(([path]) => path.replace(/^\/api\/v1/, '').replace(/\{(\w+)\}/g, (whole, name) => ids[name] ?? whole))
    .filter((path) => !path.includes('{') && !CHANGING.test(path))
  const [baseline, candidate] = example.runIds
  return [
    ...plain,
    `/components/${example.componentId}/comparisons?baseline=${baseline}&candidate=${candidate}`,
    `/components/${example.componentId}/comparisons/report?baseline=${baseline}&candidate=${candidate}`,
    '/traces?limit=50',
    '/traces?q=question&limit=20',
    `/traces?q=${encodeURIComponent('kind:llm status:ok')}`,
    '/traces/facets?field=service',
    `/traces/${ids['traceId']}/search?q=native`,
    `/components/${ids['componentId']}/comparisons/preferences?baseline=${ids['baseline']}&candidate=${ids['candidate']}`,
    `/traces?component_id=${example.componentId}&limit=3`,
    '/traces/series?from=2026-01-01T00:00:00Z&bucket=30d',
    '/traces/stats?days_back=30',
  ]
}

/** What a user gets in a browser. */
async function readAll(session: Client, paths: Iterable<string>): Promise<Map<string, string>> {
  const read = new Map<string, string>()
  for (const path of paths) {
    const { status, text } = await session.get(path)
    read.set(path, `${status} ${text}`)
  }
  return read
}

async function countsOf(url: string): Promise<Record<string, number>> {
  const storage = await openTestStorage(url, 'command')
  const counts: Record<string, number> = {}
  for (const table of TABLE_NAMES) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      storage.read,
    )
    counts[table] = rows[0]?.count ?? 0
  }
  await storage.close()
  return counts
}

function createdAtOf({ url }: TestDatabase): string {
  const database = new Database(url.slice('file:'.length), { readonly: true })
  const createdAt = database.prepare('select min(applied_at) from schema_migrations').pluck().get()
  database.close()
  return String(createdAt)
}
