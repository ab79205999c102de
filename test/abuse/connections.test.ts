import { describe, expect, it } from 'vitest'
import { createTestDatabase, describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import { startTestApp } from '../harness/test-app.ts'
import { countServedReads, destroyAll, type HostileSocket, head, openHostile, openMany } from './hostile-sockets.ts'

const UNFINISHED = 'GET /health HTTP/1.1\r\nHost: local'
const FINISHED = head(['GET /health HTTP/1.1', 'Host: localhost'])

/**
 * Not waited for: the server closes them all in the end, by its timeouts. Those that it closes at once are closed before the requests of
 * a bystander that connects later are served.
 */
function countOpen(hostile: readonly HostileSocket[]): number {
  return hostile.filter((one) => !one.hasEnded()).length
}

describeEachEngine(
  'many connections of one address',
  (app) => {
    it.each([
      ['with an unfinished header', UNFINISHED],
      ['that say nothing at all', ''],
      ['that were used once and are kept open', FINISHED],
      ['that were used once and stop in the next header', FINISHED + UNFINISHED],
    ])('%s: the oldest are closed, and every request of a bystander is served', async (_, bytes) => {
      const { key } = await app().newWorkspace()
      const hostile = await openMany(200, () => openHostile(app().url, bytes))
      expect(await countServedReads(app(), key, 20)).toBe(20)
      expect(countOpen(hostile)).toBeLessThanOrEqual(50)
      destroyAll(hostile)
    })

    it('close none whose request is still arriving', async () => {
      const { key } = await app().newWorkspace()
      const lines = ['POST /v1/traces HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${key}`]
      const arriving = await openHostile(
        app().url,
        `${head([...lines, 'Content-Type: application/json', 'Content-Length: 2'])}{`,
      )
      // Served later on another connection, so the server has read the request by now.
      expect(await countServedReads(app(), key, 1)).toBe(1)
      const hostile = await openMany(200, () => openHostile(app().url, UNFINISHED))
      expect(await countServedReads(app(), key, 20)).toBe(20)
      arriving.socket.write('}')
      await waitFor('the response', async () => /^HTTP\/1\.1 200 /.test(arriving.received()) || undefined)
      destroyAll([arriving, ...hostile])
    })
  },
  { environment: { TOUCHSTONE_CONNECTIONS_PER_ADDRESS_MAX: '50' } },
)

describeEachEngine(
  'many connections of many addresses',
  (app) => {
    it('that are over the limit together: those that wait for longest are closed first', async () => {
      const { key } = await app().newWorkspace()
      const hostile = await openMany(300, () => openHostile(app().url, UNFINISHED))
      expect(await countServedReads(app(), key, 20)).toBe(20)
      expect(countOpen(hostile)).toBeLessThanOrEqual(100)
      destroyAll(hostile)
    })
  },
  { environment: { TOUCHSTONE_CONNECTIONS_MAX: '100' } },
)

describe('connections that are open for no good', () => {
  it('do not keep the server from ending', async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    // Longer than the time limit of the test, so that it is not the timeout that closes them.
    const environment = { TOUCHSTONE_OTLP_GRPC_PORT: '0', TOUCHSTONE_REQUEST_TIMEOUT_SECONDS: '600' }
    const app = await startTestApp(database.url, { environment })
    const { key } = await app.newWorkspace()
    const traces = ['POST /v1/traces HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${key}`]
    const body = [...traces, 'Content-Type: application/x-protobuf', 'Content-Length: 1000']
    const hostile = [
      ...(await openMany(20, () => openHostile(app.url, UNFINISHED))),
      ...(await openMany(20, () => openHostile(app.url, ''))),
      ...(await openMany(20, () => openHostile(app.url, `${head(body)}x`))),
      ...(await openMany(20, () => openHostile(app.grpcUrl ?? '', ''))),
      ...(await openMany(20, () => openHostile(app.grpcUrl ?? '', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'))),
    ]
    // Would run into the time limit of the test otherwise.
    await app.close()
    destroyAll(hostile)
    database.remove()
  })
})
