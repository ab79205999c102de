import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../../src/base/version.ts'
import { seedChain } from '../conformance/operations.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { createTestDatabase, describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { startTestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

const METRICS_ON = { environment: { TOUCHSTONE_METRICS: '127.0.0.1:0' }, works: false }

describeEachEngine(
  'the metrics',
  (app, engine) => {
    const read = async () => (await fetch(app().metricsUrl ?? '')).text()

    it('are OpenMetrics, with build, process and event loop', async () => {
      const response = await fetch(app().metricsUrl ?? '')
      const text = await response.text()
      expect(response.headers.get('content-type')).toContain('application/openmetrics-text')
      expect(text.endsWith('# EOF\n')).toBe(true)
      expect(text).toMatch(
        new RegExp(`^touchstone_build_info\\{version="${VERSION}",engine="${engine}",node="[\\d.]+"\\} 1$`, 'm'),
      )
      expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
      expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
      expect(text).toMatch(/^touchstone_database_up 1$/m)
      expect(sampleOf(text, 'touchstone_database_size_bytes')).toBeGreaterThan(10_000)
      expect(text.includes('touchstone_database_checkpoints_total')).toBe(engine === 'sqlite')
    })

    it('are served to the names of this server only, and to requests with one Host header', async () => {
      const { hostname, port } = new URL(app().metricsUrl ?? '')
      const statusOf = async (...hosts: string[]) => {
        const socket = connect(Number(port), hostname)
        const lines = hosts.map((host) => `Host: ${host}\r\n`).join('')
        socket.write(`GET /metrics HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
        const [first] = await once(socket, 'data')
        socket.destroy()
        return Number(String(first).split(' ')[1])
      }
      expect(await statusOf('localhost')).toBe(200)
      expect(await statusOf(`127.0.0.1:${port}`)).toBe(200)
      expect(await statusOf('attacker.example')).toBe(400)
      expect(await statusOf('localhost', 'attacker.example')).toBe(400)
      expect(await statusOf()).toBe(400)
    })

    it('count requests by declared path and class of status, with nothing that a user sent', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      const id = await client.create('/components', { name: 'secret-name' })
      await client.get(`/components/${id}`)
      await client.get('/components?limit=7')
      await client.get('/api/v1/secret-path')
      await app().anonymous.get(`/components/${id}`)
      const count = (labels: string) => `touchstone_http_request_duration_seconds_count{${labels}}`
      const one = (route: string, status: string) => count(`method="GET",route="${route}",status="${status}"`)
      await until(async () => {
        const text = await read()
        expect(sampleOf(text, one('/api/v1/components/:componentId', '2xx'))).toBe(1)
        expect(sampleOf(text, one('/api/v1/components/:componentId', '4xx'))).toBe(1)
        expect(sampleOf(text, one('none', '4xx'))).toBe(1)
      })
      const text = await read()
      for (const secret of [id, workspaceId, 'secret', 'limit=7']) expect(text).not.toContain(secret)
    })

    it('count stored and rejected spans, their bytes, and batches that were not stored', async () => {
      const { client } = await app().newWorkspace()
      const before = await read()
      const spans = [1, 2].map((number) => ({ traceId: traceIdOf(number), spanId: spanIdOf(number) }))
      const request = otlpRequest([...spans, { traceId: 'not-an-id', spanId: spanIdOf(3) }])
      await client.post('/v1/traces', request)
      await client.post('/v1/traces', '{', { 'content-type': 'application/json' })
      const after = await read()
      const added = (name: string) => (sampleOf(after, name) ?? 0) - (sampleOf(before, name) ?? 0)
      expect(added('touchstone_ingest_spans_total')).toBe(2)
      expect(added('touchstone_ingest_rejected_spans_total')).toBe(1)
      expect(added('touchstone_ingest_bytes_total')).toBeGreaterThan(100)
      expect(added('touchstone_ingest_failed_batches_total{status="4xx"}')).toBe(1)
    })

    it('count the jobs by kind and state, with the age of the oldest', async () => {
      const { client } = await app().newWorkspace()
      await seedChain(client)
      const text = await read()
      expect(sampleOf(text, 'touchstone_jobs{kind="evaluation",state="queued"}')).toBe(1)
      expect(sampleOf(text, 'touchstone_job_oldest_age_seconds{kind="evaluation",state="queued"}')).toBeGreaterThan(0)
    })

    it('report that the database cannot be read, and when it can be again', async () => {
      const rename = (from: string, to: string) =>
        app().storage.transaction((tx) => sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx))
      await rename('jobs', 'jobs_elsewhere')
      const failing = await read()
      await rename('jobs_elsewhere', 'jobs')
      expect(sampleOf(failing, 'touchstone_database_up')).toBe(0)
      expect(failing).toContain('touchstone_build_info')
      expect(sampleOf(await read(), 'touchstone_database_up')).toBe(1)
    })

    it('are not served on the public port, nor anything else on theirs', async () => {
      const { key } = await app().newWorkspace()
      const onPublicPort = await fetch(`${app().url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
      expect(await onPublicPort.text()).not.toContain('touchstone_build_info')
      const metrics = new URL(app().metricsUrl ?? '')
      expect((await fetch(new URL('/health', metrics))).status).toBe(404)
      expect((await fetch(metrics, { method: 'POST' })).status).toBe(405)
    })
  },
  METRICS_ON,
)

describe('TOUCHSTONE_METRICS', () => {
  it('is off by default', async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const app = await startTestApp(database.url)
    try {
      expect(app.metricsUrl).toBeUndefined()
    } finally {
      await app.close()
      database.remove()
    }
  })

  it.each(['9464', ':9464', '127.0.0.1', '127.0.0.1:99999', 'on', '[127.0.0.1]:1'])('rejects %s', async (address) => {
    const start = startTestApp('file:/nowhere', { environment: { TOUCHSTONE_METRICS: address } })
    await expect(start).rejects.toThrow('TOUCHSTONE_METRICS must be off or an address such as 127.0.0.1:9464')
  })

  it('fails the start with a message if the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const database = await createTestDatabase('sqlite', 'migrated')
    try {
      const environment = { TOUCHSTONE_METRICS: `127.0.0.1:${port}` }
      await expect(startTestApp(database.url, { environment })).rejects.toThrow(`127.0.0.1:${port} is taken`)
    } finally {
      other.close()
      database.remove()
    }
  })
})

const { log, logged } = collectingLog('info')

describeEachEngine(
  'the access log',
  (app) => {
    it('has a line per request, with the declared path and no key, id or query value', async () => {
      const { client, key, workspaceId } = await app().newWorkspace()
      const id = await client.create('/components', { name: 'A component' })
      const requestId = `request-of-${workspaceId.slice(0, 8)}`
      const { text } = await client.get(`/components/${id}`, { 'x-request-id': requestId })
      await client.get('/components?limit=7')
      await until(() => expect(logged.join('')).toContain(requestId))
      const line = logged.find((one) => one.includes(requestId)) ?? ''
      expect(JSON.parse(line)).toMatchObject({
        msg: 'request',
        method: 'GET',
        route: '/api/v1/components/:componentId',
        status: 200,
        ms: expect.any(Number),
        requestId,
      })
      expect(JSON.parse(line).bytes).toBeGreaterThan(text.length)
      for (const secret of [key, id, 'limit']) expect(logged.join('')).not.toContain(secret)
    })

    it('has the status 499 of a client that left before the response', async () => {
      const { key, workspaceId } = await app().newWorkspace()
      const requestId = `left-${workspaceId.slice(0, 8)}`
      const { hostname, port } = new URL(app().url)
      const socket = connect(Number(port), hostname)
      const lines = ['POST /api/v1/components HTTP/1.1', `Host: ${hostname}`, `Authorization: Bearer ${key}`]
      const more = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue']
      socket.write(`${[...lines, ...more, `X-Request-Id: ${requestId}`].join('\r\n')}\r\n\r\n`)
      // The server has the headers, and waits for the body.
      expect(String((await once(socket, 'data'))[0])).toContain('100 Continue')
      socket.destroy()
      const served = () => logged.find((one) => one.includes(requestId) && one.includes('"msg":"request"')) ?? '{}'
      const left = { method: 'POST', route: '/api/v1/components', status: 499 }
      await until(() => expect(JSON.parse(served())).toMatchObject(left))
    })
  },
  { environment: { TOUCHSTONE_ACCESS_LOG: 'on' }, log },
)

/** The value of a sample, by its name with its labels; undefined if there is none. */
function sampleOf(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `))
  return line === undefined ? undefined : Number(line.slice(sample.length + 1))
}
