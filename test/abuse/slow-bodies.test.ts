// @module-tag deep
import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../harness/collect-garbage.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import {
  countServedBatches,
  countServedReads,
  destroyAll,
  head,
  openHostile,
  openMany,
  untilAllClosed,
} from './hostile-sockets.ts'

const REQUEST_TIMEOUT = { environment: { TOUCHSTONE_REQUEST_TIMEOUT_SECONDS: '1' } }

function traces(key: string, bytes: number): string {
  const lines = ['POST /v1/traces HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${key}`]
  return head([...lines, 'Content-Type: application/x-protobuf', `Content-Length: ${bytes}`])
}

describeEachEngine(
  'a request whose body does not arrive',
  (app) => {
    it('gets 408 and its connection is closed, even if the client never closes its side', async () => {
      const { key } = await app().newWorkspace()
      const hostile = [
        await openHostile(app().url, traces(key, 1_000)),
        await openHostile(app().url, `${traces(key, 1_000)}some of it`),
        await openHostile(app().url, 'POST /v1/traces HTTP/1.1\r\nHost: loc'),
      ]
      await untilAllClosed(hostile)
      for (const one of hostile) expect(one.received()).toMatch(/^HTTP\/1\.1 408 /)
    })

    it('is closed after its request was rejected, when the client does not send the rest', async () => {
      const lines = ['POST /api/v1/components HTTP/1.1', 'Host: localhost', 'Authorization: Bearer nobody']
      const rejected = await openHostile(
        app().url,
        head([...lines, 'Content-Type: application/json', 'Content-Length: 1000']),
      )
      await untilAllClosed([rejected])
      // One answer and not a second one behind it, which a client would take for the answer to its next request.
      expect(rejected.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
    })
  },
  REQUEST_TIMEOUT,
)

describe('connections that declare large batches of spans and stay silent', () => {
  describeEachEngine('without the time limit in sight', (app) => {
    it('do not block other keys: every batch of a bystander is stored', async () => {
      const attacker = await app().newWorkspace()
      const bystander = await app().newWorkspace()
      const silent = [
        ...(await openMany(3, () => openHostile(app().url, traces(attacker.key, 20 << 20)))),
        ...(await openMany(100, () => openHostile(app().url, traces(attacker.key, 100)))),
      ]
      expect(await countServedBatches(app().url, bystander.key, 20)).toBe(20)
      // The same holds for another client with the same key.
      expect(await countServedBatches(app().url, attacker.key, 20)).toBe(20)
      destroyAll(silent)
    })
  })

  // One of these is counted whole as soon as it begins, and two are all that fits.
  const bytes = 4 << 20
  describeEachEngine(
    'after a first byte',
    (app) => {
      it('are dropped for others when they use all memory: every batch of a bystander is stored', async () => {
        const attacker = await app().newWorkspace()
        const bystander = await app().newWorkspace()
        const hostile = await openMany(3, () => openHostile(app().url, `${traces(attacker.key, bytes)}x`))
        await waitFor('a rejection', async () => hostile.some((one) => one.received() !== '') || undefined)
        expect(await countServedBatches(app().url, bystander.key, 20)).toBe(20)
        destroyAll(hostile)
      })
    },
    { environment: { TOUCHSTONE_BODY_BYTES_IN_FLIGHT_MAX: String(2 * bytes) } },
  )
})

describeEachEngine(
  'bodies that together exceed the memory limit',
  (app) => {
    it('are all received one after the other: each releases its memory, also a rejected one', async () => {
      const { client } = await app().newWorkspace()
      const statuses = new Set<number>()
      for (let count = 0; count < 6; count += 1) {
        const name = 'x'.repeat(500_000)
        statuses.add((await client.post('/components', { name })).status)
        const body = Buffer.alloc(500_000, 0xff)
        const headers = { 'content-type': 'application/x-protobuf' }
        statuses.add((await client.send('POST', '/v1/traces', { body, headers })).status)
      }
      for (let count = 0; count < 300; count += 1)
        statuses.add((await app().anonymous.post('/invitations/lookup', { token: 'x'.repeat(15_000) })).status)
      expect(statuses).toEqual(new Set([400]))
    })
  },
  { environment: { TOUCHSTONE_BODY_BYTES_IN_FLIGHT_MAX: String(2 << 20) } },
)

describeEachEngine(
  'bodies that never end, on every route together',
  (app) => {
    it('use no more memory than the limit, and a bystander is served', async () => {
      const { key, client } = await app().newWorkspace()
      const bystander = await app().newWorkspace()
      const component = await client.create('/components', { name: 'Target' })
      const dataset = await client.create(`/components/${component}/datasets`, { name: 'Set' })
      const path = `/api/v1/components/${component}/datasets/${dataset}/import`
      const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`]
      const request = head([...lines, 'Content-Type: application/jsonl', `Content-Length: ${19 << 20}`])
      const before = heldBytes()
      const hostile = await openMany(12, () => openHostile(app().url, request))
      const most = Buffer.alloc(18 << 20, 'x')
      for (const { socket } of hostile) socket.write(most)
      await waitFor('all but what fits to be rejected', async () => {
        const rejected = hostile.filter((one) => /^HTTP\/1\.1 503 .*\r\nretry-after: /is.test(one.received()))
        return rejected.length >= 9 || undefined
      })
      // Buffers are freed some time after they were collected.
      await waitFor('what was rejected to be freed', async () => heldBytes() - before < 100 << 20 || undefined)
      expect(await countServedReads(app(), bystander.key, 20)).toBe(20)
      const stored = await bystander.client.post('/components', {
        name: 'x'.repeat(500),
        description: 'y'.repeat(20_000),
      })
      expect(stored.status).toBe(201)
      destroyAll(hostile)
    })

    it('of endpoints without authentication are rejected above a few kilobytes', async () => {
      const lines = ['POST /api/v1/invitations/lookup HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
      const large = await openHostile(app().url, head([...lines, `Content-Length: ${1 << 20}`]))
      await waitFor('the rejection', async () => /^HTTP\/1\.1 413 /.test(large.received()) || undefined)
      const before = heldBytes()
      const some = await openMany(300, () =>
        openHostile(app().url, `${head([...lines, 'Content-Length: 16000'])}${' '.repeat(15_000)}`),
      )
      expect(await countServedReads(app(), (await app().newWorkspace()).key, 20)).toBe(20)
      // All of them are 4.5 MB, and 4 MiB is what they may hold together.
      await waitFor('those that do not fit to be rejected', async () => {
        const rejected = some.filter((one) => /^HTTP\/1\.1 503 /.test(one.received()))
        return rejected.length >= 20 || undefined
      })
      await waitFor('little to be held', async () => heldBytes() - before < 32 << 20 || undefined)
      destroyAll([large, ...some])
    })
  },
  // Memory must be free long before the time limit of requests would free it.
  { environment: { TOUCHSTONE_REQUEST_TIMEOUT_SECONDS: '600' } },
)

/** What buffers hold: where the bytes of bodies are. The client's own are among them, once, because all connections write the same. */
function heldBytes(): number {
  // Without it, unreferenced buffers would count, of other tests as well.
  collectGarbage()
  return process.memoryUsage().external
}
