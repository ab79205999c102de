import { expect, it } from 'vitest'
import { generateApiKey } from '../../src/auth/api-keys/api-key-format.ts'
import { browserWith, personWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'

type Rejected = { includesUnknown: boolean; total: number; data: Record<string, unknown>[] }

async function rejectedIn(client: Client): Promise<Rejected> {
  const { status, body } = await client.get('/onboarding')
  expect(status).toBe(200)
  return Object(body.rejectedKeys)
}

const AGENT = 'OTel-OTLP-Exporter-Python/1.38'

describeEachEngine('/onboarding', (app) => {
  const sendAs = (key: string) =>
    app()
      .withKey(key)
      .send('POST', '/v1/traces', { body: otlpRequest([]), headers: { 'user-agent': AGENT } })

  it('reports that nothing has arrived, and then the first and the newest trace', async () => {
    const { workspaceId, client } = await app().newWorkspace()
    const editor = await browserWith(app(), workspaceId, 'editor')
    expect((await editor.get('/onboarding')).body).toMatchObject({
      firstTrace: null,
      newestTrace: null,
      endpoints: { http: expect.stringMatching(/\/v1\/traces$/), grpc: null },
      exampleDataLoaded: false,
    })
    await sendSpans(client, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), name: 'first' }])
    await sendSpans(client, [{ traceId: traceIdOf(2), spanId: spanIdOf(2), name: 'second' }])
    const { body } = await editor.get('/onboarding')
    expect(body).toMatchObject({
      firstTrace: { traceId: traceIdOf(1), name: 'first', service: 'tests' },
      newestTrace: { traceId: traceIdOf(2), name: 'second' },
    })
    expect((await editor.get(`/traces/${Object(body.newestTrace).id}`)).status).toBe(200)
  })

  it('POST /onboarding/test-trace 201 stores a trace with a search, a model call and a cost', async () => {
    const { workspaceId } = await app().newWorkspace()
    const editor = await browserWith(app(), workspaceId, 'editor')
    const { status, body } = await editor.send('POST', '/onboarding/test-trace')
    expect(status).toBe(201)
    const trace = (await editor.get(`/traces/${body.id}`)).body
    expect(trace).toMatchObject({ traceId: body.traceId, name: 'Touchstone test trace', status: 'ok', tags: ['test'] })
    expect(trace.totalCostUsd).toBeGreaterThan(0)
    expect((await editor.list(`/traces/${body.id}/spans`)).map(({ kind }) => kind).sort()).toEqual([
      'agent',
      'llm',
      'retriever',
    ])
    expect((await editor.get('/onboarding')).body.newestTrace).toMatchObject({ id: body.id })
    const again = await editor.send('POST', '/onboarding/test-trace', { headers: { 'idempotency-key': 'once' } })
    const repeated = await editor.send('POST', '/onboarding/test-trace', { headers: { 'idempotency-key': 'once' } })
    expect(repeated.text).toBe(again.text)
    expect(await editor.list('/traces')).toHaveLength(2)
  })

  it('lists the keys that the caller may see, with the time of their last use', async () => {
    const { workspaceId, key } = await app().newWorkspace()
    const viewer = await browserWith(app(), workspaceId, 'viewer')
    const admin = await browserWith(app(), workspaceId, 'admin')
    await viewer.create('/api-keys', { name: 'Own' })
    const namesOf = async (client: Client) =>
      Array.from(Object((await client.get('/onboarding')).body.keys), (one) => Object(one).name)
    expect(await namesOf(viewer)).toEqual(['Own'])
    expect(await namesOf(admin)).toEqual(['Own', 'Test key'])
    await app().withKey(key).get('/workspace')
    await until(async () => {
      const { keys } = (await admin.get('/onboarding')).body
      expect(Object(keys)[1].lastUsedAt).not.toBeNull()
    })
    expect((await admin.get('/onboarding')).text).not.toContain(key)
  })

  it('reports requests with a revoked key to the admins of its application and to its creator, and to no one else', async () => {
    const { workspaceId } = await app().newWorkspace()
    const other = await app().newWorkspace()
    const person = await personWith(app(), workspaceId, 'admin')
    const admin = app().asPerson(person, workspaceId)
    const creator = await browserWith(app(), workspaceId, 'editor')
    const { body } = await creator.post('/api-keys', { name: 'Old exporter' })
    const key = String(body.key)
    await admin.delete(`/api-keys/${body.id}`)
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await sendAs(key)).status).toBe(401)
    const found = await until(async () => {
      const { data } = await rejectedIn(admin)
      expect(data[0]?.count).toBe(3)
      return data
    })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      reason: 'revoked',
      endsWith: key.slice(-4),
      keyName: 'Old exporter',
      revokedBy: person.userId,
      revokedByName: 'Test Person',
      address: '127.0.0.1',
      userAgent: AGENT,
    })
    expect((await rejectedIn(creator)).data).toEqual(found)
    expect((await rejectedIn(await browserWith(app(), workspaceId, 'viewer'))).data).toEqual([])
    expect((await rejectedIn(await browserWith(app(), other.workspaceId, 'owner'))).data).toEqual([])
  })

  it('reports a key whose role is too low to send traces', async () => {
    const { workspaceId } = await app().newWorkspace()
    const admin = await browserWith(app(), workspaceId, 'admin')
    const { body } = await admin.post('/api-keys', { name: 'Reader', role: 'viewer' })
    expect((await sendAs(String(body.key))).status).toBe(403)
    expect((await rejectedIn(admin)).data).toMatchObject([{ reason: 'role', keyName: 'Reader', count: 1 }])
  })

  it('reports keys that belong to no application only to admins of all of them', async () => {
    const { workspaceId } = await app().newWorkspace()
    const admin = await browserWith(app(), workspaceId, 'admin')
    const unknown = generateApiKey()
    const mistyped = `${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`
    for (const key of [unknown, unknown, mistyped, 'short']) expect((await sendAs(key)).status).toBe(401)
    const basic = `Basic ${btoa(`public:${unknown}`)}`
    await app().anonymous.send('POST', '/v1/traces', { body: otlpRequest([]), headers: { authorization: basic } })
    expect(await rejectedIn(admin)).toMatchObject({ includesUnknown: false, total: 0, data: [] })
    const rows = await app().storage.read.selectFrom('workspaces').select('id').execute()
    const all = await app().newPerson(rows.map(({ id }) => ({ workspaceId: id, role: 'admin' as const })))
    await until(async () => {
      const { includesUnknown, data } = await rejectedIn(app().asPerson(all, workspaceId))
      expect(includesUnknown).toBe(true)
      expect(data.map(({ reason, endsWith, count }) => [reason, endsWith, count])).toEqual(
        expect.arrayContaining([
          ['unknown', unknown.slice(-4), 3],
          ['malformed', mistyped.slice(-4), 1],
          ['malformed', null, 1],
        ]),
      )
      expect(JSON.stringify(data)).not.toContain(unknown.slice(4, 20))
    })
    await app().newWorkspace()
    expect(await rejectedIn(app().asPerson(all, workspaceId))).toMatchObject({ includesUnknown: false, data: [] })
  })
})
