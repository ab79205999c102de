import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'
import { expectError } from './answer-forms.ts'
import { OPERATIONS, POSTS, pathOf, perform, seedChain, titled } from './operations.ts'

const REQUEST_ID = expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/)
const MIB = 1_048_576

describeEachEngine(
  'every response',
  (app) => {
    const withoutWorkspaces = OPERATIONS.filter(({ auth }) => auth !== 'session')

    describe.each(titled(withoutWorkspaces))('$title', ({ operation }) => {
      it('carries X-Request-Id, which is the caller’s own if it is a plain one', async () => {
        const { client } = await app().newWorkspace()
        const ids = await seedChain(client)
        const rejected = await perform(app().anonymous, operation, ids)
        const given = await perform(client, operation, ids, { 'x-request-id': 'order-66' })
        const missing = await perform(client, operation, ids)
        expect(rejected.headers.get('x-request-id')).toEqual(REQUEST_ID)
        expect(given.headers.get('x-request-id')).toBe('order-66')
        expect(missing.headers.get('x-request-id')).toEqual(REQUEST_ID)
        expect(missing.headers.get('x-request-id')).not.toBe(rejected.headers.get('x-request-id'))
      })
    })

    it('carries X-Request-Id also on 404, 405 and 400, and a wild one of the caller’s is replaced', async () => {
      const answers = [
        await app().anonymous.get('/api/v1/nope'),
        await app().anonymous.send('PUT', '/components'),
        await app().anonymous.get('/health', { 'x-request-id': 'a b "c"' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 405, 200])
      for (const { headers } of answers) expect(headers.get('x-request-id')).toEqual(REQUEST_ID)
    })

    it.each([
      ['that is no HTTP', 'GARBAGE\r\n\r\n', 400],
      ['with too many headers', rawRequest('GET /health', ['Host: localhost', `X: ${'x'.repeat(17_000)}`]), 431],
      ['with a strange expectation', rawRequest('GET /health', ['Host: localhost', 'Expect: 200-ok']), 417],
      ['with a broken escape in the path', rawRequest('GET /api/v1/%E0%A4%A', ['Host: localhost']), 400],
    ])('carries X-Request-Id also for a request %s', async (_, bytes, status) => {
      const answer = await sendRaw(app().url, bytes)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('x-request-id')).toEqual(REQUEST_ID)
    })

    describe.each(titled(POSTS))('$title', ({ operation }) => {
      const { status } = operation

      it('400 for a body that is no object, 413 for a large one, 415 for another media type, 201 or 202 for the right one', async () => {
        const { client } = await app().newWorkspace()
        const ids = await seedChain(client)
        const path = pathOf(operation, ids)
        const right = operation.body?.(ids)
        expectError(await client.post(path, '[]'), 400)
        expectError(await client.post(path, '{'), 400)
        expectError(await client.post(path, { ...right, surplus: 1 }), 400, /surplus/)
        expectError(await client.post(path, `"${'x'.repeat(MIB - 1)}"`), 413)
        expectError(await client.post(path, JSON.stringify(right), { 'content-type': 'text/plain' }), 415)
        expect((await client.post(path, right)).status).toBe(status)
      })
    })
  },
  // No answer waits for a job, and evaluating costs more than everything else here.
  { works: false },
)
