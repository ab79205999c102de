/** Requests without a key, by counts: each attack is on, and a bystander with a key is served. */
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { countServedReads, destroyAll, head, openHostile, openMany } from './hostile-sockets.ts'

const DESCRIPTION = head(['GET /api/v1/openapi.json HTTP/1.1', 'Host: localhost'])
const BURST = 150

describeEachEngine(
  'requests without a key',
  (app) => {
    it('pipelined by clients that do not read start one after the other, and a bystander is served', async () => {
      const { key } = await app().newWorkspace()
      // The system takes a few responses for each client; the others wait.
      const hostile = await openMany(5, async () => {
        const one = await openHostile(app().url, DESCRIPTION.repeat(200))
        one.socket.pause()
        return one
      })
      expect(await countServedReads(app(), key, 20)).toBe(20)
      // Each request that has started was counted. If all of them had, none would be left for this address.
      expect((await app().anonymous.send('GET', '/health')).status).toBe(200)
      destroyAll(hostile)
    })

    it.each(['/health', '/', '/guide/', `/shared/${'a'.repeat(43)}`, '/no/such/path'])(
      'are 429 with Retry-After above the limit of their address (GET %s), and a bystander is served',
      async (path) => {
        const { key } = await app().newWorkspace()
        const headers = { accept: 'text/html' }
        const flood = Array.from({ length: BURST + 20 }, () => fetch(app().url + path, { headers }))
        expect(await countServedReads(app(), key, 5)).toBe(5)
        const responses = await Promise.all(flood)
        await Promise.all(responses.map((response) => response.arrayBuffer()))
        const rejected = responses.filter(({ status }) => status === 429)
        expect(rejected.length).toBeGreaterThan(0)
        expect(rejected[0]?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      },
    )
  },
  { environment: { TOUCHSTONE_REQUESTS_PER_SECOND: '1', TOUCHSTONE_REQUESTS_BURST: String(BURST) } },
)
