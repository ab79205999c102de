/** One caller with a hundred connections, by counts: a bystander is served, and gets its turn among few requests of the other one. */
import { connect as connectHttp2 } from 'node:http2'
import { expect, it } from 'vitest'
import { createClient } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import type { TestApp } from '../harness/test-app.ts'
import { destroyAll, type HostileSocket, head, openHostile, openMany } from './hostile-sockets.ts'

const CONNECTIONS = 100
const READS = 20
/** Requests in progress, and those that start in one turn. The rest of the thousands that wait come later. */
const OVERTAKING_MAX = 64

const answersIn = (flood: readonly HostileSocket[], status: number) =>
  flood.reduce((sum, { received }) => sum + received().split(`HTTP/1.1 ${status} `).length - 1, 0)

/** For each read of a bystander, how many requests of the flood were answered from its start to its end. */
async function overtakenBy(app: TestApp, key: string, countAnswers: () => number): Promise<number[]> {
  const client = createClient(app.url, { authorization: `Bearer ${key}` })
  const overtaken: number[] = []
  for (let read = 0; read < READS; read += 1) {
    const before = countAnswers()
    expect((await client.get('/workspace')).status).toBe(200)
    overtaken.push(countAnswers() - before)
  }
  return overtaken
}

const median = (counts: number[]) => counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)]

describeEachEngine(
  'a caller with a hundred connections',
  (app) => {
    it('calls by gRPC, and a bystander gets all its answers', async () => {
      const [greedy, other] = [await app().newWorkspace(), await app().newWorkspace()]
      const session = connectHttp2(app().grpcUrl ?? '')
      session.on('error', () => {})
      let answered = 0
      for (let call = 0; call < CONNECTIONS; call += 1) {
        const stream = session.request({
          ':method': 'POST',
          ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
          'content-type': 'application/grpc',
          te: 'trailers',
          authorization: `Bearer ${greedy.key}`,
        })
        stream.on('error', () => {})
        stream.on('trailers', () => {
          answered += 1
        })
        stream.resume()
        stream.end(Buffer.alloc(5))
      }
      expect(await overtakenBy(app(), other.key, () => answered)).toHaveLength(READS)
      session.destroy()
    })

    it.each([
      ['reads', 200, 30, () => head(['GET /api/v1/components?limit=100 HTTP/1.1', 'Host: localhost'])],
      [
        'sends bodies that are too large',
        413,
        1,
        () =>
          `${head(['POST /api/v1/components HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Content-Length: 9000000'])}${'x'.repeat(20_000)}`,
      ],
      // The last one: its address may have no further attempts with keys that were not used before.
      ['is not known', 401, 30, () => head(['GET /api/v1/components HTTP/1.1', 'Host: localhost'])],
    ] as const)(
      '%s, and a bystander gets all its answers, each after few of the others (%i)',
      async (what, status, times, request) => {
        const [greedy, other] = [await app().newWorkspace(), await app().newWorkspace()]
        const key = what === 'is not known' ? 'tsk_wrong' : greedy.key
        const sent = request().replace('Host: localhost', `Host: localhost\r\nAuthorization: Bearer ${key}`)
        const flood = await openMany(CONNECTIONS, () => openHostile(app().url, sent.repeat(times)))
        const overtaken = await overtakenBy(app(), other.key, () => answersIn(flood, status))
        expect(median(overtaken)).toBeLessThanOrEqual(OVERTAKING_MAX)
        await waitFor('an answer to the others', async () => answersIn(flood, status) > 0 || undefined)
        destroyAll(flood)
      },
    )
  },
  { environment: { TOUCHSTONE_REQUESTS_PER_SECOND: '100000', TOUCHSTONE_OTLP_GRPC_PORT: '0' } },
)
