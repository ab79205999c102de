// @module-tag sql
/** Copies of one request, in any interleaving, do the work once and get the same response, byte for byte. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, Client } from '../harness/client.ts'
import { createTestDatabase, describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

/** A POST that can be repeated: its path, two different bodies for it, and the list in which its row appears. */
type Target = { path: string; bodies: [object, object]; list: string }

/** Which of the two bodies each copy has; the copies of one wave are sent at once, the waves one after another. */
const waves = fc.array(fc.array(fc.constantFrom(0, 0, 0, 1), { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 3,
})

describeEachEngine('an Idempotency-Key', (app) => {
  it('turns any interleaving of copies into one request, on every POST', { tags: 'sized' }, async () => {
    const { client, session, targets } = await seedTargets(app())
    let round = 0
    for (const target of targets) {
      const by = target.path === '/workspaces' ? session : client
      await fc.assert(
        fc.asyncProperty(waves, async (sent) => {
          round += 1
          await expectOnce([by], target, { key: `copy ${round} ~!"#`, sent })
        }),
        { numRuns: runs(4), endOnFailure: true },
      )
    }
  })

  it('is not used up by a request that was rejected', async () => {
    const { client } = await app().newWorkspace()
    const headers = { 'idempotency-key': 'rejected first' }
    expect((await client.post('/components', { name: '' }, headers)).status).toBe(400)
    expect((await client.post('/components', { name: 'Good' }, headers)).status).toBe(201)
    expect((await client.post('/components', { name: 'Good' }, headers)).status).toBe(201)
    expect(await client.list('/components')).toHaveLength(1)
  })

  it('keeps the first response although the created resource was changed or deleted', async () => {
    const { client } = await app().newWorkspace()
    const headers = { 'idempotency-key': 'kept' }
    const first = await client.post('/components', { name: 'Short-lived' }, headers)
    expect((await client.delete(`/components/${first.body.id}`)).status).toBe(204)
    const again = await client.post('/components', { name: 'Short-lived' }, headers)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(await client.list('/components')).toEqual([])
  })

  it('is rejected if it is empty, too long or not printable, and for a response with a secret', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    for (const key of ['', 'x'.repeat(256), 'é']) {
      const { status } = await client.post('/components', { name: 'x' }, { 'idempotency-key': key })
      expect(status, key).toBe(400)
    }
    const owner = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
    expect((await owner.post('/api-keys', { name: 'x' }, { 'idempotency-key': 'secret' })).status).toBe(400)
    expect(await client.list('/components')).toEqual([])
  })
})

describe('two servers on one database', () => {
  let servers: TestApp[] = []

  beforeAll(async () => {
    const { url } = await createTestDatabase('postgres')
    const first = await startTestApp(url)
    servers = [first, await startTestApp(url)]
  })

  afterAll(async () => {
    for (const server of servers) await server.close()
  })

  it('do the work of copies once between them', { tags: 'sized' }, async () => {
    const [first, second] = servers
    if (!first || !second) throw new Error('both servers must have started')
    const { key, targets, client } = await seedTargets(first)
    const clients = [client, second.withKey(key)]
    let round = 0
    for (const target of targets.filter(({ path }) => path !== '/workspaces')) {
      await fc.assert(
        fc.asyncProperty(waves, async (sent) => {
          round += 1
          await expectOnce(clients, target, { key: `shared ${round}`, sent })
        }),
        { numRuns: runs(4), endOnFailure: true },
      )
    }
  })
})

async function expectOnce(
  clients: Client[],
  { path, bodies, list }: Target,
  { key, sent }: { key: string; sent: number[][] },
): Promise<void> {
  const [client] = clients
  if (!client) throw new Error('a client must send the copies')
  const before = await idsOf(client, list)
  const answers: { which: number; answer: Answer }[] = []
  for (const wave of sent) {
    const copies = wave.map(async (which, place) => {
      const by = clients[place % clients.length] ?? client
      return { which, answer: await by.post(path, bodies[which], { 'idempotency-key': key }) }
    })
    answers.push(...(await Promise.all(copies)))
  }
  const done = answers.filter(({ answer }) => answer.status < 300)
  const seen = JSON.stringify(answers.map(({ which, answer }) => [which, answer.status, answer.text]))
  expect(done.length, seen).toBeGreaterThan(0)
  expect(new Set(done.map(({ which }) => which)).size, seen).toBe(1)
  expect(new Set(done.map(({ answer }) => `${answer.status} ${answer.text}`)).size, seen).toBe(1)
  const winner = done[0]?.which ?? 0
  for (const { which, answer } of answers) {
    if (answer.status < 300) continue
    // A request that arrives while the first is still running is rejected, with any body.
    expect(which === winner ? [409] : [409, 422], seen).toContain(answer.status)
  }
  const [again, other] = [await repeat(client, winner), await repeat(client, 1 - winner)]
  expect([again.status, again.text]).toEqual([done[0]?.answer.status, done[0]?.answer.text])
  expect(other.status, other.text).toBe(422)
  const fresh = (await idsOf(client, list)).filter((id) => !before.includes(id))
  expect(fresh, seen).toEqual([done[0]?.answer.body.id])

  function repeat(by: Client, which: number): Promise<Answer> {
    return by.post(path, bodies[which], { 'idempotency-key': key })
  }
}

async function idsOf(client: Client, list: string): Promise<unknown[]> {
  return (await client.list(`${list}?limit=100`)).map(({ id }) => id)
}

async function seedTargets(app: TestApp) {
  const { client, key, workspaceId } = await app.newWorkspace()
  const session = app.asPerson(await app.newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
  const base = `/components/${await client.create('/components', { name: 'Target' })}`
  const datasetId = await client.create(`${base}/datasets`, { name: 'Target', traceIds: ['a'] })
  const runId = await client.create(`${base}/runs`, { datasetId })
  const targets: Target[] = [
    { path: '/components', bodies: [{ name: 'One' }, { name: 'Two' }], list: '/components' },
    { path: '/workspaces', bodies: [{ name: 'One' }, { name: 'Two' }], list: '/workspaces' },
    {
      path: `${base}/datasets`,
      bodies: [
        { name: 'One', traceIds: ['x', 'y', 'x'] },
        { name: 'One', traceIds: ['x', 'y'] },
      ],
      list: `${base}/datasets`,
    },
    { path: `${base}/runs`, bodies: [{ datasetId }, { datasetId, traceIds: [] }], list: `${base}/runs` },
    {
      path: `${base}/traces`,
      bodies: [
        { name: 'One', input: 'x', spans: [{ inputTokens: 1 }] },
        { name: 'One', input: 'x', spans: [{ inputTokens: 2 }] },
      ],
      list: '/traces',
    },
    { path: `${base}/evaluations`, bodies: [{ datasetId }, { datasetId, runId }], list: `${base}/evaluations` },
    {
      path: `${base}/runs/${runId}/annotations`,
      // Without the key these would change one row, not make another; each round therefore has a trace of its own.
      get bodies(): [object, object] {
        const traceDbId = randomUUID()
        return [
          { traceDbId, rating: 'positive' },
          { traceDbId, rating: 'negative' },
        ]
      },
      list: `${base}/runs/${runId}/annotations`,
    },
  ]
  return { client, key, session, targets }
}
