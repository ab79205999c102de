// @module-tag sql
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createTestDatabase, describeEachEngine, type Engine } from '../harness/each-engine.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

const METRICS_ON = { environment: { TOUCHSTONE_METRICS: '127.0.0.1:0' }, works: false }

describeEachEngine(
  'a database without space for a write',
  (app, engine) => {
    it('makes the server not ready for writes until a write succeeds, while /health stays 200', async () => {
      const { client } = await app().newWorkspace()
      const component = await client.create('/components', { name: 'A' })
      const store = () => client.post(`/components/${component}/datasets`, { name: 'Large', traceIds: TRACE_IDS })
      const ready = () => app().anonymous.get('/ready')
      expect((await ready()).status).toBe(200)
      const free = await fillDisk(app(), engine)
      expect((await store()).status).toBe(503)
      expect(await ready()).toMatchObject({
        status: 503,
        body: { error: expect.stringMatching(/^The server is not ready\. writes: The disk .*full/) },
      })
      expect(await (await fetch(app().metricsUrl ?? '')).text()).toMatch(/^touchstone_ready\{check="writes"\} 0$/m)
      expect((await app().anonymous.get('/health')).status).toBe(200)
      await free()
      expect((await ready()).status).toBe(200)
      expect((await store()).status).toBe(201)
      expect(await (await fetch(app().metricsUrl ?? '')).text()).toMatch(/^touchstone_ready\{check="writes"\} 1$/m)
    })
  },
  METRICS_ON,
)

const TRACE_IDS = Array.from({ length: 2_000 }, (_, place) => `a-trace-with-a-longer-name-${place}`)

/** The error of a full disk on tables that grow; a limit on pages on the embedded engine. Returns how to free it. */
async function fillDisk({ storage }: TestApp, engine: Engine): Promise<() => Promise<unknown>> {
  const run = (statement: string) => storage.transaction((tx) => sql.raw(statement).execute(tx))
  if (engine === 'sqlite') {
    await run('pragma max_page_count = 1')
    return () => run('pragma max_page_count = 1000000')
  }
  await run(`create function no_space() returns trigger language plpgsql as $$
    begin raise exception using errcode = '53100', message = 'could not extend file'; end $$`)
  for (const table of ['dataset_items', 'instance_settings'])
    await run(`create trigger no_space before insert on ${table} execute function no_space()`)
  return () => run('drop function no_space() cascade')
}

describe('a database that is spread over nodes (postgres)', () => {
  it('makes the server not ready while one of them cannot be reached', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    const app = await startTestApp(url, { works: false })
    const run = (statement: string) => app.storage.transaction((tx) => sql.raw(statement).execute(tx))
    await run(
      `create table pg_dist_node (nodename text, nodeport integer, groupid integer, isactive boolean, noderole text)`,
    )
    await run(`insert into pg_dist_node select 'node', g, g, true, 'primary' from generate_series(0, 2) as g`)
    await run(
      `create function citus_check_connection_to_node(text, integer) returns boolean language sql as 'select $2 <> 1'`,
    )
    expect(await app.anonymous.get('/ready')).toMatchObject({
      status: 503,
      body: { error: 'The server is not ready. nodes: 1 of the 2 nodes of the database cannot be reached' },
    })
    await run(`update pg_dist_node set nodeport = 3 where nodeport = 1`)
    expect((await app.anonymous.get('/ready')).status).toBe(200)
    await app.close()
  })
})
