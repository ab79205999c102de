/** Other ways in which programs send an API key: Basic authentication where telemetry is received, and an encoded space everywhere. */
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { createClient } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpLogs, otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const PATHS = ['/v1', '/api/v1', '/api/public/otel/v1'].flatMap((prefix) =>
  ['traces', 'logs', 'metrics'].map((signal) => `${prefix}/${signal}`),
)

describeEachEngine(
  'an API key',
  (app) => {
    const as = (authorization: string) => createClient(app().url, { authorization })
    const bodyOf = (path: string) => (path.endsWith('logs') ? otlpLogs([]) : otlpRequest([]))

    it.each(PATHS)('%s accepts it as the password of Basic authentication with any user name', async (path) => {
      const { key } = await app().newWorkspace()
      for (const user of ['pk-lf-1234', '', 'a b']) {
        expect((await as(basic(user, key)).post(path, bodyOf(path))).status).toBe(200)
      }
      for (const wrong of [
        basic(key, 'x'),
        basic(key, ''),
        basic('pk', `${key}x`),
        'Basic',
        'Basic !!',
        `Basic ${key}`,
      ]) {
        const { status, body } = await as(wrong).post(path, bodyOf(path))
        expect([status, body.error]).toEqual([401, 'Invalid or missing API key'])
      }
    })

    it('as a password is accepted only by endpoints for telemetry', async () => {
      const { key } = await app().newWorkspace()
      for (const path of ['/workspace', '/components', '/traces']) {
        const { status, text } = await as(basic('pk', key)).get(path)
        expect([status, text]).toEqual([401, '{"error":"Invalid or missing API key"}'])
      }
    })

    it('of a person’s session is no password', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await app().newPerson([{ workspaceId, role: 'owner' }])
      expect((await as(basic('pk', person.token)).post('/v1/traces', otlpRequest([]))).status).toBe(401)
    })

    it('behind an encoded space is as good as behind a space, everywhere', async () => {
      const { key } = await app().newWorkspace()
      for (const authorization of [`Bearer%20${key}`, `bearer%20${key}`, `Bearer %20${key}`]) {
        expect((await as(authorization).get('/components')).status).toBe(200)
        const span = { traceId: traceIdOf(1), spanId: spanIdOf(1) }
        expect((await as(authorization).post('/v1/traces', otlpRequest([span]))).status).toBe(200)
      }
      for (const wrong of [`Bearer${key}`, `Bearer%2${key}`, `Bearer%20${key}x`, 'Bearer%20']) {
        expect((await as(wrong).get('/components')).body).toEqual({ error: 'Invalid or missing API key' })
      }
    })

    describe('over gRPC', () => {
      it('is taken in the same forms', async () => {
        const { key } = await app().newWorkspace()
        const client = new Client(new URL(app().grpcUrl ?? '').host, credentials.createInsecure())
        const call = (authorization: string): Promise<number> => {
          const metadata = new Metadata()
          metadata.set('authorization', authorization)
          const same = (message: Buffer) => message
          const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
          return new Promise((resolve) => {
            client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, {}, (error) =>
              resolve(error?.code ?? 0),
            )
          })
        }
        expect(await Promise.all([`Bearer ${key}`, `Bearer%20${key}`, basic('pk', key)].map(call))).toEqual([0, 0, 0])
        expect(await Promise.all([`Bearer%20${key}x`, basic(key, 'pk')].map(call))).toEqual([16, 16])
        client.close()
      })
    })
  },
  { environment: { TOUCHSTONE_OTLP_GRPC_PORT: '0' } },
)
