/** Section A of the list of bad input: HTTP and transport. */
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw, sendRawUntilClosed } from '../harness/raw-socket.ts'

const HOST = 'Host: localhost'
const JSON_TYPE = 'Content-Type: application/json'
const BODY = '{"name":"a"}'
const LENGTH = `Content-Length: ${BODY.length}`

describeEachEngine(
  'A. HTTP and transport',
  (app) => {
    /** A workspace, its header, and how many components it has: nothing of a rejected request may be stored. */
    async function seed() {
      const { client, key, workspaceId } = await app().newWorkspace()
      const count = async () => (await client.list('/components')).length
      return { client, workspaceId, auth: `Authorization: Bearer ${key}`, count }
    }

    it('1: invalid HTTP is 400, and the connection is closed', async () => {
      const [answer, ...more] = await sendRawUntilClosed(app().url, 'GARBAGE\r\n\r\n')
      expect(more).toEqual([])
      expectError(answer ?? fail(), 400, 'Malformed HTTP request')
    })

    it('2: HTTP/1.1 without Host is 400', async () => {
      expectError(await sendRaw(app().url, rawRequest('GET /health', [])), 400, 'Missing Host header')
      expectError(await sendRaw(app().url, rawRequest('GET /health', ['Host:'])), 400, 'Missing Host header')
    })

    it.each(['evil.test', 'localhost.evil.test', 'evil.test:3000', 'user@evil.test', '%', 'a b'])(
      '3: the host %s, which is not ours, is 400',
      async (host) => {
        const { auth } = await seed()
        for (const path of ['/health', '/api/v1/components', '/api/auth/get-session', '/'])
          expectError(await sendRaw(app().url, rawRequest(`GET ${path}`, [`Host: ${host}`, auth])), 400, 'Unknown host')
      },
    )

    it.each([
      ['host', [HOST, HOST], 400],
      ['content-type', [HOST, JSON_TYPE, JSON_TYPE], 400],
      ['authorization', [HOST, JSON_TYPE], 401],
    ])('a repeated %s header is rejected, and nothing is stored', async (name, headers, status) => {
      const { auth, count } = await seed()
      const credentials = name === 'authorization' ? [auth, auth] : [auth]
      const request = rawRequest('POST /api/v1/components', [...headers, ...credentials, LENGTH], BODY)
      const text = status === 400 ? `The header ${name} must not be repeated` : 'Invalid or missing API key'
      expectError(await sendRaw(app().url, request), status, text)
      expect(await count()).toBe(0)
    })

    it('3: localhost and addresses are ours', async () => {
      for (const host of ['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '[::1]', 'touchstone.localhost'])
        expect((await sendRaw(app().url, rawRequest('GET /health', [`Host: ${host}`]))).status, host).toBe(200)
    })

    it.each([
      ['4: Content-Length and Transfer-Encoding both', [LENGTH, 'Transfer-Encoding: chunked']],
      ['5: two different Content-Lengths', [LENGTH, 'Content-Length: 3']],
      ['6: a Content-Length that is no number', ['Content-Length: abc']],
      ['6: a negative Content-Length', ['Content-Length: -1']],
    ])('%s is 400, the connection is closed, nothing is stored', async (_, headers) => {
      const { auth, count } = await seed()
      const request = rawRequest('POST /api/v1/components', [HOST, auth, JSON_TYPE, ...headers], BODY)
      const answers = await sendRawUntilClosed(app().url, request)
      expect(answers).toHaveLength(1)
      expectError(answers[0] ?? fail(), 400)
      expect(await count()).toBe(0)
    })

    it('7: a body shorter than announced, then the end, is 400, and nothing is stored', async () => {
      const { auth, count } = await seed()
      const headers = [HOST, auth, JSON_TYPE, `Content-Length: ${BODY.length + 10}`]
      const request = rawRequest('POST /api/v1/components', headers, BODY)
      expectError(await sendRaw(app().url, request, { afterwards: 'close-our-side' }), 400)
      expect(await count()).toBe(0)
    })

    it('8: headers of more than 16 KiB are 431', async () => {
      const one = rawRequest('GET /health', [HOST, `X-Large: ${'x'.repeat(17_000)}`])
      const many = rawRequest('GET /health', [
        HOST,
        ...Array.from({ length: 900 }, (_, place) => `X-${place}: ${'y'.repeat(20)}`),
      ])
      for (const request of [one, many]) expectError(await sendRaw(app().url, request), 431)
    })

    it('9: a method that HTTP does not have is 400', async () => {
      expectError(await sendRaw(app().url, rawRequest('FOO /api/v1/components', [HOST])), 400)
    })

    it.each(['GET /health\r\n', 'GET /health\r\n\r\n', 'GET /health HTTP/0.9\r\nHost: localhost\r\n\r\n'])(
      '10: HTTP/0.9 (%j) is 400',
      async (request) => {
        expectError(await sendRaw(app().url, request, { afterwards: 'close-our-side' }), 400)
      },
    )

    it('11: an expectation that we do not know is 417', async () => {
      const { auth, count } = await seed()
      const headers = [HOST, auth, JSON_TYPE, LENGTH, 'Expect: 200-ok']
      expectError(await sendRaw(app().url, rawRequest('POST /api/v1/components', headers, BODY)), 417)
      expect(await count()).toBe(0)
    })

    it('12: Expect: 100-continue gets 100 and then 201', async () => {
      const { auth, count } = await seed()
      const headers = [HOST, auth, JSON_TYPE, LENGTH, 'Expect: 100-continue']
      const answer = await sendRaw(app().url, rawRequest('POST /api/v1/components', headers, BODY))
      expect(answer.interim).toEqual([100])
      expect(answer.status).toBe(201)
      expect(await count()).toBe(1)
    })

    it('15: a URL of 20 KB is 431', async () => {
      expectError(await sendRaw(app().url, rawRequest(`GET /api/v1/${'a'.repeat(20_000)}`, [HOST])), 431)
      expectError(await sendRaw(app().url, rawRequest(`GET /health?${'a'.repeat(20_000)}`, [HOST])), 431)
    })

    it.each(['/api/v1/%E0%A4%A', '/api/v1/components/%E0%A4%A', '/api/v1/components/%', '/%zz', '/api/v1/%FF%FE'])(
      '16: the path %s, whose escapes are broken, is 400',
      async (path) => {
        const { auth } = await seed()
        expectError(await sendRaw(app().url, rawRequest(`GET ${path}`, [HOST, auth])), 400, 'Malformed URL')
      },
    )

    it.each([
      ...['/api/v1/components/', '/api/v1//components', '/api/v1/Components', '/API/v1/components'],
      ...['/api/v1/components/../workspace', '/api/v1/./components', '/api/v1', '/api/v1/', '/api/v1/components//runs'],
      ...['/api/v1/components;x=1', '/api/v1/components%2F', '/health/', '/api/v1/health', '/v1/components'],
    ])('17, 18: the path %s is 404', async (path) => {
      const { auth } = await seed()
      expectError(await sendRaw(app().url, rawRequest(`GET ${path}`, [HOST, auth])), 404, 'Not found')
    })

    it.each(['PUT', 'PATCH', 'TRACE', 'OPTIONS', 'DELETE', 'PROPFIND', 'QUERY'])(
      '19: %s /components is 405 with Allow',
      async (method) => {
        const answer = await sendRaw(app().url, rawRequest(`${method} /api/v1/components`, [HOST]))
        expectError(answer, 405)
        expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST'])
      },
    )

    it('19: an unsupported method is 405 with the supported ones', async () => {
      const answer = await sendRaw(app().url, rawRequest('POST /api/v1/components/x', [HOST, 'Content-Length: 0']))
      expectError(answer, 405)
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH'])
    })

    it.each([
      ['a text', 'text/plain', 'x'],
      ['a form', 'application/x-www-form-urlencoded', 'a=1'],
      ['no media type', '', 'x'],
      ['broken JSON', 'application/json', '{'],
      ['nothing, announced as JSON', 'application/json', ''],
      ['a forbidden key', 'application/json', '{"__proto__":{}}'],
      ['more than a MiB', 'application/json', ' '.repeat(1_048_577)],
    ])('17, 19, 21: with %s as its body a wrong method is still 405 and an unknown path 404', async (_, type, body) => {
      const { auth } = await seed()
      const headers = [HOST, auth, `Content-Type: ${type}`, `Content-Length: ${body.length}`]
      for (const [line, status] of [
        ['PUT /api/v1/components', 405],
        ['DELETE /api/v1/components', 405],
        ['POST /api/v1/nope', 404],
        ['POST /nope', 404],
      ] as const) {
        const answer = await sendRaw(app().url, rawRequest(line, headers, body))
        expectError(answer, status)
      }
    })

    it('20: HEAD with a key is 200 and has no body', async () => {
      const { auth } = await seed()
      const request = rawRequest('HEAD /api/v1/components', [HOST, auth, 'Connection: close'])
      const [answer] = await sendRawUntilClosed(app().url, request, { method: 'HEAD' })
      expect({ status: answer?.status, text: answer?.text }).toEqual({ status: 200, text: '' })
    })

    it('21: an unknown path is 404 also without a key', async () => {
      for (const method of ['GET', 'POST', 'DELETE'])
        expectError(await app().anonymous.send(method, '/api/v1/nope'), 404, 'Not found')
    })

    it.each(['application/xml', 'text/html', '', ';;;', 'application/json;q=0'])(
      '22: Accept: %j gets JSON all the same',
      async (accept) => {
        const { client } = await seed()
        const { status, headers, text } = await client.get('/components', { accept })
        expect({ status, text }).toEqual({ status: 200, text: '{"data":[]}' })
        expect(headers.get('content-type')).toMatch(/^application\/json/)
      },
    )

    it('23: X-HTTP-Method-Override is ignored', async () => {
      const { client, count } = await seed()
      const id = await client.create('/components', { name: 'a' })
      const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE', 'x-http-method': 'DELETE' }
      expect((await client.get(`/components/${id}`, override)).status).toBe(200)
      expect((await client.post('/components?_method=DELETE', { name: 'b' }, override)).status).toBe(201)
      expect(await count()).toBe(2)
    })

    it('24: a forged X-Forwarded-For does not get into the audit log', async () => {
      const { workspaceId } = await seed()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const forged = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' }
      await admin.post('/api-keys', { name: 'a' }, forged)
      const log = await admin.list('/audit-log')
      expect(log.map(({ action }) => action)).toContain('api-key.created')
      expect(new Set(log.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']))
    })

    it('an unauthenticated upload gets its response after its headers, for any declared size', async () => {
      const headers = [HOST, JSON_TYPE, 'Content-Length: 1000000000']
      const answers = await sendRawUntilClosed(app().url, rawRequest('POST /api/v1/components', headers, '{'))
      expect(answers).toHaveLength(1)
      expectError(answers[0] ?? fail(), 401, 'Invalid or missing API key')
    })

    it('a body on DELETE is 400 if it is JSON and 415 if it is not; a bare content-type is fine', async () => {
      const { auth, client, count } = await seed()
      const id = await client.create('/components', { name: 'a' })
      const line = `DELETE /api/v1/components/${id}`
      expectError(await sendRaw(app().url, rawRequest(line, [HOST, auth, JSON_TYPE, LENGTH], BODY)), 400)
      const text = [HOST, auth, 'Content-Type: text/plain', LENGTH]
      expectError(await sendRaw(app().url, rawRequest(line, text, BODY)), 415)
      expect(await count()).toBe(1)
      expect((await sendRaw(app().url, rawRequest(line, [HOST, auth, JSON_TYPE]))).status).toBe(204)
    })

    it('the description declares 415 for a DELETE with a text body', async () => {
      const { client } = await seed()
      const id = await client.create('/components', { name: 'a' })
      const sent = { body: 'x', headers: { 'content-type': 'text/plain' } }
      expectError(await client.send('DELETE', `/components/${id}`, sent), 415)
    })

    it('a GET with a body is 400 and not half of the next request', async () => {
      const { auth } = await seed()
      const headers = [HOST, auth, JSON_TYPE, LENGTH, 'Connection: close']
      const answers = await sendRawUntilClosed(app().url, rawRequest('GET /api/v1/components', headers, BODY))
      expect(answers).toHaveLength(1)
      expectError(answers[0] ?? fail(), 400)
    })

    it('the rest of a rejected request is never read as another request', async () => {
      const { count, auth } = await seed()
      const smuggled = rawRequest('POST /api/v1/components', [HOST, auth, JSON_TYPE, LENGTH], BODY)
      const headers = [HOST, JSON_TYPE, `Content-Length: ${smuggled.length}`]
      const rejected = rawRequest('POST /api/v1/components', headers, smuggled)
      const next = rawRequest('GET /health', [HOST, 'Connection: close'])
      const answers = await sendRawUntilClosed(app().url, rejected + next)
      expect(answers.map(({ status }) => status)).toEqual([401, 200])
      expect(await count()).toBe(0)
    })
  },
  { works: false },
)

describe('A. slow and idle connections', () => {
  describeEachEngine(
    'a server that waits one second for a request',
    (app) => {
      it('13: a body that does not arrive in time is 408, and nothing is stored', async () => {
        const { client, key } = await app().newWorkspace()
        const headers = [HOST, `Authorization: Bearer ${key}`, JSON_TYPE, LENGTH]
        const request = rawRequest('POST /api/v1/components', headers, BODY.slice(0, 1))
        expectError(await sendRaw(app().url, request), 408)
        expect(await client.list('/components')).toEqual([])
      })

      it('13: headers that do not arrive in time are 408', async () => {
        expectError(await sendRaw(app().url, 'GET /health HTTP/1.1\r\nHost: local'), 408)
      })
    },
    { works: false, environment: { TOUCHSTONE_REQUEST_TIMEOUT_SECONDS: '1' } },
  )

  describeEachEngine(
    'a server with idle guests',
    (app) => {
      it('14: 300 silent connections do not block other clients', async () => {
        const { hostname, port } = new URL(app().url)
        const idle = await Promise.all(
          Array.from(
            { length: 300 },
            () =>
              new Promise<Socket>((resolve, reject) => {
                const socket = connect(Number(port), hostname, () => resolve(socket))
                socket.on('error', reject)
              }),
          ),
        )
        const { client } = await app().newWorkspace()
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, place) => client.post('/components', { name: `c${place}` })),
        )
        for (const socket of idle) socket.destroy()
        expect(answers.map(({ status }) => status)).toEqual(new Array(50).fill(201))
      })
    },
    { works: false },
  )
})

function fail(): never {
  throw new Error('there was no answer')
}
