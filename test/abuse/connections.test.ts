import { describe, expect, it } from 'vitest'
import { createTestDatabase, describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import { startTestApp } from '../harness/test-app.ts'
import { countServedReads, destroyAll, head, openHostile, openMany } from './hostile-sockets.ts'

const UNFINISHED = 'GET /health HTTP/1.1\r\nHost: local'
const FINISHED = head(['GET /health HTTP/1.1', 'Host: localhost'])

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
      await waitFor('the oldest to be closed', async () => {
        const open = hostile.filter((one) => !one.hasEnded()).length
        return open <= 50 || undefined
      })
      destroyAll(hostile)
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
      await waitFor(
        'the oldest to be closed',
        async () => hostile.filter((one) => one.hasEnded()).length >= 200 || undefined,
      )
      destroyAll(hostile)
    })
  },
  { environment: { TOUCHSTONE_CONNECTIONS_MAX: '100' } },
)

describe('connections that are open for no good', () => {
  it('do not keep the server from ending', async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const app = await startTestApp(database.url, { environment: { TOUCHSTONE_OTLP_GRPC_PORT: '0' } })
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
