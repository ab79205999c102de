import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'
import { expectError } from './answer-forms.ts'
import { HOUR, movableClock } from './movable-clock.ts'
import { OPERATIONS, pathOf, seedChain } from './operations.ts'

describeEachEngine('what the service returns without authentication', (app) => {
  it('GET /health and GET /ready are 200', async () => {
    for (const path of ['/health', '/ready']) {
      const { status, body } = await app().anonymous.get(path)
      expect(status).toBe(200)
      expect(body).toEqual({ status: 'ok' })
    }
  })

  it('GET /api/v1/openapi.json is OpenAPI 3.1, version 1.0.0, with three servers', async () => {
    const { status, body, headers } = await app().anonymous.get('/api/v1/openapi.json')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body.openapi).toMatch(/^3\.1\./)
    expect(body.info).toMatchObject({ version: '1.0.0' })
    expect(body.servers).toHaveLength(3)
    expect(Object(body.servers)[0]).toMatchObject({ url: '/api/v1' })
    expect(body).toEqual(JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')))
  })

  it.each(OPERATIONS)(
    'GET /api/v1/openapi.json describes $method $template with the specification’s statuses',
    async (operation) => {
      const { body } = await app().anonymous.get('/api/v1/openapi.json')
      const described = Object(body.paths)[operation.template]?.[operation.method.toLowerCase()]
      const statuses = Object.keys(described.responses)
      expect(statuses).toContain(String(operation.status))
      expect(statuses).toContain('401')
      if (operation.status === 204) expect(statuses).toContain('404')
      const isList = operation.method === 'GET' && /s$/.test(operation.template)
      const names: string[] = (described.parameters ?? []).map(({ name }: { name: string }) => name)
      expect(names.includes('limit') && names.includes('offset')).toBe(isList)
    },
  )

  it('an operation that the description offers to keys is the only kind that takes one', async () => {
    const { body } = await app().anonymous.get('/api/v1/openapi.json')
    const takesKey = ({ template, method }: { template: string; method: string }) =>
      JSON.stringify(Object(body.paths)[template][method.toLowerCase()].security).includes('apiKey')
    for (const operation of OPERATIONS)
      expect(takesKey(operation), operation.template).toBe(operation.auth === 'key-or-session')
  })

  describe('HEAD', () => {
    it.each(OPERATIONS.filter(({ method, auth }) => method === 'GET' && auth !== 'session'))(
      '$template returns the response of GET, without the body',
      async (operation) => {
        const { client, key } = await app().newWorkspace()
        const path = pathOf(operation, await seedChain(client))
        const { text } = await client.get(path)
        const headers = ['Host: localhost', `Authorization: Bearer ${key}`, 'Connection: close']
        const head = await sendRaw(app().url, rawRequest(`HEAD /api/v1${path}`, headers), { method: 'HEAD' })
        expect(head.status).toBe(200)
        expect(head.text).toBe('')
        expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
      },
    )

    it('without a key is 401, also without a body', async () => {
      const request = rawRequest('HEAD /api/v1/components', ['Host: localhost', 'Connection: close'])
      const { status, text } = await sendRaw(app().url, request, { method: 'HEAD' })
      expect({ status, text }).toEqual({ status: 401, text: '' })
    })
  })

  it('404 for a path that is none, 405 with Allow for a method that a path does not take', async () => {
    expectError(await app().anonymous.get('/api/v1/nope'), 404, 'Not found')
    expectError(await app().anonymous.get('/api/v2/components'), 404, 'Not found')
    const rejected = await app().anonymous.send('DELETE', '/components')
    expectError(rejected, 405)
    expect(rejected.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST'])
  })
})

describe('readiness', () => {
  const clock = movableClock()
  describeEachEngine(
    'a server whose job loop has stopped',
    (app) => {
      it('returns 503 with Retry-After on /ready and still 200 on /health', async () => {
        expect((await app().anonymous.get('/ready')).status).toBe(200)
        // Without its table the loop can look for nothing; then time passes.
        await app().storage.transaction((tx) => tx.schema.dropTable('jobs').execute())
        clock.advance(HOUR)
        const answer = await app().anonymous.get('/ready')
        expectError(answer, 503)
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
        expect((await app().anonymous.get('/health')).status).toBe(200)
      })
    },
    { clock },
  )
})
