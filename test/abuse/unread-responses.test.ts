// @module-tag deep
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import { countServedReads, head } from './hostile-sockets.ts'

describeEachEngine(
  'a client that does not read its response',
  (app) => {
    it.each(['a list', 'a stream'])('is cut off (%s), and others are served', async (what) => {
      const { key, client } = await app().newWorkspace()
      const component = await client.create('/components', { name: 'Large' })
      const dataset = await client.create(`/components/${component}/datasets`, { name: 'Large' })
      // More than the buffers of both systems hold together.
      const lines = Array.from({ length: 250 }, (_, place) =>
        JSON.stringify({ input: `${place} ${'x'.repeat(30_000)}` }),
      )
      for (const half of ['a', 'b']) {
        const imported = await client.send('POST', `/components/${component}/datasets/${dataset}/import`, {
          body: `${lines.join('\n').replaceAll('{"input":"', `{"input":"${half}`)}\n`,
          headers: { 'content-type': 'application/jsonl' },
        })
        expect(imported.status).toBe(200)
      }
      const path = `/api/v1/components/${component}/datasets/${dataset}`
      const wanted = what === 'a list' ? `${path}/items?limit=100` : `${path}/export?format=jsonl`
      const { port, hostname } = new URL(app().url)
      const socket = connect(Number(port), hostname)
      socket.pause()
      let isClosed = false
      socket.on('close', () => {
        isClosed = true
      })
      socket.on('error', () => {})
      const request = [`GET ${wanted} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`]
      // Several times, because the system takes a few megabytes for a client that does not read.
      socket.write(head(request).repeat(what === 'a list' ? 6 : 2))
      expect(await countServedReads(app(), key, 5)).toBe(5)
      // Nothing is read, so only a write can find out that the other side is gone.
      await waitFor('the connection to be closed', async () => {
        if (!socket.destroyed) socket.write('\r\n')
        return isClosed || undefined
      })
    })
  },
  { environment: { TOUCHSTONE_REQUEST_TIMEOUT_SECONDS: '3' } },
)
