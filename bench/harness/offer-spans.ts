/**
 * Sends at a constant rate without waiting for responses, like many independent programs. Rejected batches are not
 * sent again.
 */
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { madeTrace, SENT_TRACES, SPANS_PER_TRACE } from '../spans.ts'
import { encodeProtobuf } from './encode-spans.ts'
import { exchange, open } from './load.ts'

const TURN_MS = 5
const CONNECTIONS_MAX = 1_000
const TEMPLATES = 16

export type Offer = {
  port: number
  head(body: Buffer): Buffer
  spansPerBatch: number
  batchesPerSecond: number
  seconds: number
  /** A different number results in different traces. */
  firstNumber: number
}

export type Offered = {
  offered: number
  /** The number of batches by response status; `none` if the connection closed without a response. */
  answers: Record<string, number>
  /** 503 without Retry-After. */
  bareRejections: number
  /** Batches not sent in time because too many were in flight: the rate was not reached. */
  held: number
  connections: number
  seconds: number
}

export async function offer({ head, ...asked }: Offer): Promise<Offered> {
  const { port, spansPerBatch, batchesPerSecond, seconds } = asked
  const templates = Array.from({ length: TEMPLATES }, (_, place) => templateOf(place, spansPerBatch))
  const heads = templates.map(({ body }) => head(body))
  const idle: Socket[] = []
  const result: Offered = { offered: 0, answers: {}, bareRejections: 0, held: 0, connections: 0, seconds: 0 }
  let openCount = 0

  async function sendOne(number: number): Promise<void> {
    const template = templates[number % TEMPLATES]
    const before = heads[number % TEMPLATES]
    if (!template || !before) throw new Error('there is nothing to send')
    const request = Buffer.concat([before, asTraces(template, asked.firstNumber + number)])
    let status = 'none'
    let socket: Socket | undefined
    try {
      do socket = idle.pop()
      while (socket?.destroyed)
      if (!socket) {
        openCount += 1
        result.connections = Math.max(result.connections, openCount)
        socket = await open(port)
        // Between two requests there is no other error listener.
        socket.on('error', () => {})
        socket.on('close', () => {
          openCount -= 1
        })
      }
      const answer = await exchange(socket, request)
      status = answer.head.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3)
      if (status === '503' && !/\r\nretry-after: \d+/i.test(answer.head)) result.bareRejections += 1
      if (/\r\nconnection: close/i.test(answer.head)) socket.destroy()
      else idle.push(socket)
    } catch {
      // Rejected or reset: counted below as no response.
      socket?.destroy()
    }
    result.answers[status] = (result.answers[status] ?? 0) + 1
  }

  const startedAt = performance.now()
  const underWay = new Set<Promise<void>>()
  for (;;) {
    const elapsed = (performance.now() - startedAt) / 1_000
    if (elapsed >= seconds) break
    for (const due = Math.floor(elapsed * batchesPerSecond); result.offered + result.held < due; ) {
      if (underWay.size >= CONNECTIONS_MAX) {
        result.held += 1
        continue
      }
      const sent: Promise<void> = sendOne(result.offered).finally(() => underWay.delete(sent))
      underWay.add(sent)
      result.offered += 1
    }
    await delay(TURN_MS)
  }
  result.seconds = (performance.now() - startedAt) / 1_000
  await Promise.all(underWay)
  for (const socket of idle) socket.destroy()
  return result
}

type Template = { body: Buffer; traceIdsAt: number[] }

function templateOf(place: number, spansPerBatch: number): Template {
  const traces = Math.ceil(spansPerBatch / SPANS_PER_TRACE)
  const spans = Array.from({ length: traces }, (_, trace) => madeTrace(SENT_TRACES, place * traces + trace))
  return encodeProtobuf(spans.flat().slice(0, spansPerBatch))
}

/** The same spans with other trace ids, so that they are new. */
function asTraces({ body, traceIdsAt }: Template, number: number): Buffer {
  const copy = Buffer.from(body)
  for (const at of traceIdsAt) copy.writeUInt32BE(number, at)
  return copy
}
