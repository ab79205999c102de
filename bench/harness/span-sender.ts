/**
 * Sends spans in a process of its own. Requests are created before the measurement starts, because creating them costs
 * as much as ingesting them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { SENT_TRACES } from '../spans.ts'
import { serveParent } from './child.ts'
import { type Batches, encodeBatches, headOf } from './encode-spans.ts'
import { exchange, open } from './load.ts'
import { type Offer, offer } from './offer-spans.ts'

const RETRY_MS = 200
const REJECTED_MAX = 500

let prepared: Buffer[] = []

const commands = {
  /** Returns the bytes per span in a request. */
  prepare: async ({ key, ...batches }: Batches & { key: string }) => {
    const bodies = encodeBatches(SENT_TRACES, batches)
    prepared = bodies.map((body) => Buffer.concat([headOf(body, batches.format, key), body]))
    return bodies.reduce((sum, { length }) => sum + length, 0) / (batches.count * batches.spansPerBatch)
  },
  send,
  offer: async (offered: Omit<Offer, 'head'> & { key: string }) =>
    offer({ ...offered, head: (body) => headOf(body, 'protobuf', offered.key) }),
}

export type SenderCommands = typeof commands

serveParent(0, commands, async () => {})

/**
 * Sends the prepared requests, each until it is accepted, as exporters do. Returns the duration and the number of
 * rejections.
 */
async function send({ port, connections }: { port: number; connections: number }) {
  const startedAt = performance.now()
  const waiting = prepared.toReversed()
  let rejected = 0
  const work = async () => {
    let socket = await open(port)
    for (let request = waiting.pop(); request; request = waiting.pop()) {
      const { head, body } = await exchange(socket, request)
      if (head.startsWith('HTTP/1.1 503 ')) {
        rejected += 1
        if (rejected > REJECTED_MAX) throw new Error(`rejected too often: ${body}`)
        waiting.unshift(request)
        await delay(RETRY_MS)
      } else if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`expected 200, got ${head}\n\n${body}`)
      if (!/\r\nconnection: close/i.test(head)) continue
      socket.destroy()
      socket = await open(port)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return { seconds: (performance.now() - startedAt) / 1_000, rejected }
}
