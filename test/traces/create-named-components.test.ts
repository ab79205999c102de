// @module-tag sql
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import type { TestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'

/** One trace for each name, in one request. */
function send(client: Client, first: number, ...names: string[]) {
  const spans = names.map((name, place) => ({
    traceId: traceIdOf(first + place),
    spanId: spanIdOf(first + place),
    name: 'trace',
    attributes: { 'touchstone.component': name },
  }))
  return client.post('/v1/traces', otlpRequest(spans))
}

function warningOf({ body }: Awaited<ReturnType<Client['post']>>) {
  return Object(body.partialSuccess).errorMessage
}

async function newApplication(app: TestApp, createsComponents: boolean) {
  const { workspaceId, client } = await app.newWorkspace()
  const admin = await browserWith(app, workspaceId, 'admin')
  const change = (isOn: boolean) => admin.send('PUT', '/trace-settings', { body: { createsComponents: isOn } })
  if (createsComponents) expect(await change(true)).toMatchObject({ status: 200, body: { createsComponents } })
  return { workspaceId, client, admin, change }
}

async function names(client: Client) {
  return (await client.list('/components?limit=100')).map(({ name }) => name)
}

async function countTraces(client: Client) {
  const counts: Record<string, number> = {}
  for (const { id, name } of await client.list('/components'))
    counts[String(name)] = (await client.list(`/traces?component_id=${id}&limit=100`)).length
  return counts
}

/** The transactions that wait for a lock. */
async function countWaiting({ storage }: TestApp): Promise<number> {
  const waiting = sql<{ count: string }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return Number((await waiting.execute(storage.read)).rows[0]?.count)
}

describeEachEngine('/trace-settings', (app) => {
  it('GET 200 returns that traces create no components by default, and they create none', async () => {
    const { client } = await newApplication(app(), false)
    expect((await client.get('/trace-settings')).body).toEqual({ createsComponents: false })
    expect(warningOf(await send(client, 1, 'Greeter'))).toBe(
      'There is no component "Greeter"; its traces were stored without one',
    )
    expect(await names(client)).toEqual([])
    expect(await client.list('/traces')).toMatchObject([{ aiComponentId: null }])
  })

  it('PUT 200 turns it on and off for the traces that arrive afterwards, with entries in the audit log', async () => {
    const { client, admin, change, workspaceId } = await newApplication(app(), true)
    expect((await client.get('/trace-settings')).body).toEqual({ createsComponents: true })
    await send(client, 1, 'First')
    expect((await change(false)).body).toEqual({ createsComponents: false })
    await send(client, 2, 'Second')
    expect(await names(client)).toEqual(['First'])
    const log = await admin.list('/audit-log?action=trace-settings.changed')
    expect(log.map(({ resourceId, detail }) => [resourceId, detail])).toEqual([
      [workspaceId, 'components not created'],
      [workspaceId, 'components created'],
    ])
  })

  it.each([undefined, null, 1, 'true'])('PUT 400 for %s', async (createsComponents) => {
    const { admin } = await newApplication(app(), false)
    expectError(await admin.send('PUT', '/trace-settings', { body: { createsComponents } }), 400, /createsComponents/)
  })

  it('PUT 403 for an editor and 401 for a key: a leaked key cannot turn it on', async () => {
    const { workspaceId, client } = await newApplication(app(), false)
    const editor = await browserWith(app(), workspaceId, 'editor')
    const body = { createsComponents: true }
    expectError(await editor.send('PUT', '/trace-settings', { body }), 403)
    expectError(await client.send('PUT', '/trace-settings', { body }), 401)
    expect((await client.get('/trace-settings')).body).toEqual({ createsComponents: false })
  })
})

describeEachEngine('an application whose traces create components', (app, engine) => {
  it('assigns the traces at once, without a warning, and the audit log names the key', async () => {
    const { client, admin } = await newApplication(app(), true)
    const { status, body, headers } = await send(client, 1, 'Greeter', 'Greeter', 'greeter', 'Other')
    expect([status, body]).toEqual([200, {}])
    expect(await countTraces(client)).toEqual({ Greeter: 3, Other: 1 })
    expect((await client.get('/unknown-components')).body.data).toEqual([])
    const components = await client.list('/components')
    const log = await admin.list('/audit-log?action=component.created')
    expect(log).toHaveLength(2)
    for (const { id, name } of components)
      expect(log).toContainEqual(
        expect.objectContaining({
          resourceId: id,
          detail: name,
          actorKind: 'api-key',
          address: '127.0.0.1',
          requestId: headers.get('x-request-id'),
        }),
      )
  })

  it('creates datasets and runs that the same spans name in the new component', async () => {
    const { client } = await newApplication(app(), true)
    const attributes = { 'touchstone.component': 'Greeter', 'touchstone.dataset': 'questions', 'touchstone.run': 'v1' }
    await client.post('/v1/traces', otlpRequest([{ traceId: traceIdOf(1), spanId: spanIdOf(1), attributes }]))
    const [component] = await client.list('/components')
    expect(await client.list(`/components/${component?.id}/runs`)).toMatchObject([{ name: 'v1', traceCount: 1 }])
  })

  it('batches at the same time create one component of a name', async () => {
    const { workspaceId, client } = await newApplication(app(), true)
    // Creates the row of the usage, and the resource, which the first batch inserts while others wait.
    await send(client, 1, 'Known')
    const batches = Array.from({ length: 20 }, (_, place) => (place % 2 === 0 ? ['A', 'B'] : ['B', 'a']))
    const sendAll = () => batches.map((batch, place) => send(client, 0x100 + 2 * place, ...batch))
    const sendOverlapping = () =>
      app().storage.transaction(async (tx) => {
        // Batches update this row last, so that none of them commits before another one has looked for the component.
        const usage = tx.selectFrom('workspace_usage').select('spans').where('workspace_id', '=', workspaceId)
        await usage.forUpdate().execute()
        const begun = sendAll()
        await waitFor('two batches that wait', async () => ((await countWaiting(app())) >= 2 ? true : undefined))
        return { begun }
      })
    // The embedded engine has one writer.
    const begun = engine === 'sqlite' ? sendAll() : (await sendOverlapping()).begun
    expect((await Promise.all(begun)).map(({ status, body }) => [status, body])).toEqual(batches.map(() => [200, {}]))
    const { Known, ...counts } = await countTraces(client)
    expect([Known, ...Object.values(counts)]).toEqual([1, 20, 20])
  })

  it('batches that name components in spans of the same traces are all stored', async () => {
    const { client } = await newApplication(app(), true)
    const spansOf = (place: number, component?: string) =>
      [1, 2, 3].map((trace) => ({
        traceId: traceIdOf(trace),
        spanId: spanIdOf(0x1000 * (place + 1) + trace),
        ...(component ? { attributes: { 'touchstone.component': component } } : {}),
      }))
    await client.post('/v1/traces', otlpRequest(spansOf(0)))
    const sent = Array.from({ length: 10 }, (_, place) =>
      client.post('/v1/traces', otlpRequest(spansOf(place + 1, place % 2 === 0 ? 'A' : 'B'))),
    )
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200))
    // Which of the names of a trace decides depends on the order of the batches.
    const { A = 0, B = 0 } = await countTraces(client)
    expect(A + B).toBe(3)
  })

  it('a request creates at most 20, and the others stay unknown, with a warning', async () => {
    const { client } = await newApplication(app(), true)
    const wanted = Array.from({ length: 21 }, (_, place) => `c${place}`)
    const warning = warningOf(await send(client, 0x200, ...wanted))
    expect(warning).toMatch(/^There is no component "c\d+"; its traces were stored without one$/)
    expect(await names(client)).toHaveLength(20)
    expect((await client.get('/unknown-components')).body.data).toHaveLength(1)
  })

  it('the limit counts across the transactions of a large request', async () => {
    const { client } = await newApplication(app(), true)
    // More rows than one transaction stores.
    const wanted = Array.from({ length: 700 }, (_, place) => `c${place % 30}`)
    await send(client, 0x1000, ...wanted)
    expect(await names(client)).toHaveLength(20)
  })

  it('a name that is too long for a component creates none, not even of its beginning', async () => {
    const { client } = await newApplication(app(), true)
    const longest = 'x'.repeat(500)
    const tooLong = ['y'.repeat(501), '🌲'.repeat(501)]
    for (const name of tooLong) expect((await client.post('/components', { name })).status).toBe(400)
    const warning = warningOf(await send(client, 1, longest, ...tooLong))
    expect(warning).toMatch(/no component "y+"; .*no component "🌲+"; /u)
    expect(await names(client)).toEqual([longest])
  })

  it('a component that exists is used, also with another case; one that was deleted is created again', async () => {
    const { client } = await newApplication(app(), true)
    const id = await client.create('/components', { name: 'Greeter' })
    await send(client, 1, 'greeter')
    expect(await client.list('/components')).toMatchObject([{ id }])
    expect((await client.delete(`/components/${id}`)).status).toBe(204)
    await send(client, 2, 'Greeter')
    const [component, ...others] = await client.list('/components')
    expect([component?.name, others]).toEqual(['Greeter', []])
    expect(component?.id).not.toBe(id)
  })

  it('other applications are not affected', async () => {
    await newApplication(app(), true)
    const other = await newApplication(app(), false)
    await send(other.client, 1, 'Greeter')
    expect((await other.client.get('/trace-settings')).body).toEqual({ createsComponents: false })
    expect(await names(other.client)).toEqual([])
  })
})
