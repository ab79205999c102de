import { connect as connectHttp2 } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { generateApiKey } from '../../src/auth/api-keys/api-key-format.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import type { TestApp } from '../harness/test-app.ts'

describeEachEngine(
  'a key that sends more requests than it may',
  (app) => {
    it('gets 429 with the time to wait and the policy, and a bystander is served', async () => {
      const greedy = await app().newWorkspace()
      const bystander = await app().newWorkspace()
      const answers = await Promise.all(Array.from({ length: 40 }, () => greedy.client.get('/workspace')))
      const rejected = answers.filter(({ status }) => status === 429)
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20)
      expect(rejected.length).toBeGreaterThan(0)
      const [first] = rejected
      expect(first?.body).toEqual({ error: 'Too many requests; the limit is 1 per second' })
      expect(first?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(first?.headers.get('ratelimit-policy')).toBe('"requests";q=20;w=20')
      expect(first?.headers.get('ratelimit')).toBe(`"requests";r=0;t=${first?.headers.get('retry-after')}`)
      for (let time = 0; time < 10; time += 1) expect((await bystander.client.get('/workspace')).status).toBe(200)
    })

    it('gets an error in the format of OTLP, with a status that exporters retry', async () => {
      const { key } = await app().newWorkspace()
      const client = app().withKey(key)
      const send = (type: string) =>
        client.send('POST', '/v1/traces', { body: '', headers: { 'content-type': type, 'content-length': '0' } })
      const answers = await Promise.all(Array.from({ length: 40 }, () => send('application/json')))
      const rejected = answers.find(({ status }) => status === 429)
      expect(rejected?.body).toEqual({ code: 8, message: expect.any(String), error: expect.any(String) })
      expect(rejected?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      // A slow machine may have been allowed one more request by now.
      const calls = await Promise.all(Array.from({ length: 40 }, () => callGrpc(app(), key)))
      const details = expect.stringContaining('RetryInfo')
      expect(calls.find(({ status }) => status === '8')).toMatchObject({ details })
    })

    it('is another one than the other keys of the same application, and than the person', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await app().newPerson([{ workspaceId, role: 'admin' }])
      const browser = app().asPerson(person, workspaceId)
      const keys = [await newKey(browser), await newKey(browser)]
      const [first = '', second = ''] = keys
      const answers = await Promise.all(Array.from({ length: 40 }, () => app().withKey(first).get('/workspace')))
      expect(answers.map(({ status }) => status)).toContain(429)
      expect((await app().withKey(second).get('/workspace')).status).toBe(200)
      expect((await browser.get('/workspace')).status).toBe(200)
    })

    it('is served while an address sends too many requests without a key, which get 429', async () => {
      const { client } = await app().newWorkspace()
      const lookUp = () => app().anonymous.post('/invitations/lookup', { token: 'no such token' })
      const answers = await Promise.all(Array.from({ length: 40 }, lookUp))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(20)
      expect(statuses).toContain(429)
      expect((await client.get('/workspace')).status).toBe(200)
    })
  },
  {
    environment: {
      TOUCHSTONE_REQUESTS_PER_SECOND: '1',
      TOUCHSTONE_REQUESTS_BURST: '20',
      TOUCHSTONE_OTLP_GRPC_PORT: '0',
    },
  },
)

describeEachEngine(
  'an address that tries many wrong keys',
  (app) => {
    it('gets 429 instead of a lookup, while a valid key and session of the same address still work', async () => {
      const { key, client, workspaceId } = await app().newWorkspace()
      const person = await app().newPerson([{ workspaceId, role: 'viewer' }])
      expect((await client.get('/workspace')).status).toBe(200)
      const browser = app().asPerson(person, workspaceId)
      expect((await browser.get('/workspace')).status).toBe(200)
      const statuses: number[] = []
      // A busy machine needs longer for them, and may be allowed some more meanwhile.
      while (!statuses.includes(429)) statuses.push((await app().withKey(generateApiKey()).get('/workspace')).status)
      expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(100)
      expect((await app().withKey(key).get('/workspace')).status).toBe(200)
      expect((await browser.get('/workspace')).status).toBe(200)
      // Nothing is looked up for who brings nothing.
      expect((await app().anonymous.get('/workspace')).status).toBe(401)
    })
  },
  { environment: { TOUCHSTONE_FAILED_AUTHENTICATIONS_PER_SECOND: '1' } },
)

describeEachEngine(
  'streams of events',
  (app) => {
    async function openStream(path: string, key: string) {
      const gone = new AbortController()
      const headers = { authorization: `Bearer ${key}` }
      const answer = await fetch(`${app().url}/api/v1${path}/events`, { headers, signal: gone.signal })
      return { status: answer.status, close: () => gone.abort() }
    }

    async function startEvaluation(client: Client): Promise<string> {
      const component = await client.create('/components', { name: 'Watched' })
      const datasetId = await client.create(`/components/${component}/datasets`, { name: 'D', traceIds: ['t'] })
      const path = `/components/${component}/evaluations`
      return `${path}/${await client.create(path, { datasetId, config: { evaluators: [{ type: 'humanRating' }] } })}`
    }

    it('are 429 above the limit of a key, and free again when one is closed', async () => {
      const { key, client } = await app().newWorkspace()
      const path = await startEvaluation(client)
      const open = () => openStream(path, key)
      const streams = [await open(), await open(), await open()]
      expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
      expect((await client.get(`${path}/events`)).status).toBe(429)
      streams[0]?.close()
      const again = await waitFor('a place', async () => {
        const stream = await open()
        return stream.status === 200 ? stream : undefined
      })
      for (const stream of [...streams, again]) stream.close()
    })

    it('of all keys of a person are no more than twice those of one', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const path = await startEvaluation(client)
      const browser = app().asPerson(await app().newPerson([{ workspaceId, role: 'admin' }]), workspaceId)
      const streams: Awaited<ReturnType<typeof openStream>>[] = []
      for (const key of [await newKey(browser), await newKey(browser), await newKey(browser)])
        for (let count = 0; count < 3; count += 1) streams.push(await openStream(path, key))
      expect(streams.map(({ status }) => status)).toEqual([...Array(6).fill(200), ...Array(3).fill(429)])
      for (const stream of streams) stream.close()
    })
  },
  // There is no worker, so that the evaluation does not end.
  { works: false, environment: { TOUCHSTONE_EVENT_STREAMS_MAX: '3' } },
)

describeEachEngine(
  'workspaces',
  (app) => {
    it('of one person are limited, also for concurrent requests; a deleted one does not count', async () => {
      const { workspaceId } = await app().newWorkspace()
      const browser = app().asPerson(await app().newPerson([{ workspaceId, role: 'viewer' }]))
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, place) => browser.post('/workspaces', { name: `Workspace ${place}` })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(201), ...Array(7).fill(409)])
      const made = answers.find(({ status }) => status === 201)?.body.id
      expect((await browser.delete(`/workspaces/${made}`)).status).toBe(204)
      expect((await browser.post('/workspaces', { name: 'Instead' })).status).toBe(201)
      expect((await browser.post('/workspaces', { name: 'One more' })).status).toBe(409)
    })
  },
  { environment: { TOUCHSTONE_WORKSPACES_PER_PERSON_MAX: '5' } },
)

describe('the default', () => {
  describeEachEngine('of the limits', (app) => {
    it('lets a thousand requests through at once', { tags: 'deep' }, async () => {
      const { client } = await app().newWorkspace()
      const answers = await Promise.all(Array.from({ length: 1_000 }, () => client.get('/workspace')))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    })
  })
})

async function newKey(browser: ReturnType<TestApp['asPerson']>): Promise<string> {
  return String((await browser.post('/api-keys', { name: 'Another' })).body.key)
}

/** The response to a call without spans, as bytes. */
async function callGrpc({ grpcUrl }: TestApp, key: string): Promise<{ status: unknown; details: string }> {
  const session = connectHttp2(grpcUrl ?? '')
  session.on('error', () => {})
  const stream = session.request({
    ':method': 'POST',
    ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${key}`,
  })
  stream.end(Buffer.alloc(5))
  const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve))
  session.destroy()
  const details = Buffer.from(String(headers['grpc-status-details-bin'] ?? ''), 'base64').toString('latin1')
  return { status: String(headers['grpc-status']), details }
}
