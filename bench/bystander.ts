import type { Socket } from 'node:net'
import { startPostgres } from '../test/harness/postgres-server.ts'
import { type Effort, median } from './harness/compare.ts'
import { encodeSpans, headOf } from './harness/encode-spans.ts'
import type { Line } from './harness/line.ts'
import { encodeRequest, exchange, open } from './harness/load.ts'
import { type Servers, startTouchstone, type Touchstone } from './harness/servers.ts'
import { madeTrace, SENT_TRACES } from './spans.ts'

const FLOOD_CONNECTIONS = 8
const SPANS_PER_BATCH = 9_000
const FLOOD_BATCHES = 24
const IDLE_ROUNDS = 100
const REQUESTS_PER_CONNECTION = 200
/** Of the idle rounds, which are not measured: they run uncompiled code. */
const WARM_UP_ROUNDS = 50

/**
 * Measures what an application waits for while another one stores as much as the server accepts: large batches of traces with one span,
 * several at once, as a backfill does. The times are compared with those of the same server before.
 */
export async function* measureBystander(_servers: Servers, { share }: Effort): AsyncGenerator<Line> {
  const batches = Math.max(FLOOD_CONNECTIONS, Math.ceil(FLOOD_BATCHES * share))
  const embedded = await startTouchstone()
  try {
    yield* linesOf('SQLite', await sample(embedded, batches))
  } finally {
    await embedded.stop()
  }
  const postgres = await startPostgres()
  try {
    const touchstone = await startTouchstone(await postgres.createDatabase('bench'))
    try {
      yield* linesOf('PostgreSQL', await sample(touchstone, batches))
    } finally {
      await touchstone.stop()
    }
  } finally {
    await postgres.stop()
  }
}

type Sample = {
  idle: Times
  flooded: Times
  /** Of the flood. */
  spansPerSecond: number
  cpuMicrosPerSpan: number
  longestDelayMs: number
}

/** Milliseconds. */
type Times = { exports: number[]; creates: number[] }

async function sample(touchstone: Touchstone, batches: number): Promise<Sample> {
  const { port } = touchstone
  const key = await touchstone.ask('newApplication')
  let bystander = await open(port)
  let sent = 0
  const rounds = async (shouldGoOn: (done: number) => boolean): Promise<Times> => {
    const times: Times = { exports: [], creates: [] }
    for (let done = 0; shouldGoOn(done); done += 1) {
      // The server closes a connection after some requests.
      if (sent % REQUESTS_PER_CONNECTION === 0) {
        bystander.destroy()
        bystander = await open(port)
      }
      sent += 1
      const name = { name: `Component ${sent}` }
      times.exports.push(await timed(bystander, exportOf([sent], key), 200))
      const create = encodeRequest({ method: 'POST', path: '/api/v1/components', key, body: name })
      times.creates.push(await timed(bystander, create, 201))
    }
    return times
  }
  await rounds((done) => done < WARM_UP_ROUNDS)
  // Compiles the code of large batches.
  await send(port, [exportOf(placesOf(-1), touchstone.key)])
  const idle = await rounds((done) => done < IDLE_ROUNDS)

  const requests = Array.from({ length: batches }, (_, batch) => exportOf(placesOf(batch), touchstone.key))
  const cpuBefore = await touchstone.ask('cpuMicros')
  await touchstone.ask('watchEventLoop')
  let isOver = false
  const startedAt = performance.now()
  const flood = send(port, requests).finally(() => {
    isOver = true
  })
  const [flooded] = await Promise.all([rounds(() => !isOver), flood])
  const seconds = (performance.now() - startedAt) / 1_000
  const longestDelayMs = await touchstone.ask('longestDelayMs')
  const cpuMicros = (await touchstone.ask('cpuMicros')) - cpuBefore
  bystander.destroy()
  const spans = batches * SPANS_PER_BATCH
  return { idle, flooded, spansPerSecond: spans / seconds, cpuMicrosPerSpan: cpuMicros / spans, longestDelayMs }
}

function placesOf(batch: number): number[] {
  const first = (batch + 2) * SPANS_PER_BATCH
  return Array.from({ length: SPANS_PER_BATCH }, (_, place) => first + place)
}

/** One trace with one span for each place. */
function exportOf(places: number[], key: string): Buffer {
  const format = 'protobuf+gzip'
  const body = encodeSpans(
    places.flatMap((place) => madeTrace(SENT_TRACES, place, 1)),
    format,
  )
  return Buffer.concat([headOf(body, format, key), body])
}

/** Sends the requests, each until it is accepted, as exporters do. */
async function send(port: number, requests: Buffer[]): Promise<void> {
  const waiting = requests.toReversed()
  const work = async () => {
    const socket = await open(port)
    for (let request = waiting.pop(); request; request = waiting.pop()) {
      const { head } = await exchange(socket, request)
      if (head.startsWith('HTTP/1.1 503 ')) waiting.unshift(request)
      else if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`expected 200, got ${head}`)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: FLOOD_CONNECTIONS }, work))
}

async function timed(socket: Socket, request: Buffer, status: number): Promise<number> {
  const startedAt = performance.now()
  const { head, body } = await exchange(socket, request)
  if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`expected ${status}, got ${head}\n\n${body}`)
  return performance.now() - startedAt
}

function* linesOf(engine: string, { idle, flooded, ...flood }: Sample): Generator<Line> {
  const kinds = [
    ['export of one span', idle.exports, flooded.exports],
    ['create a component', idle.creates, flooded.creates],
  ] as const
  for (const [name, before, during] of kinds) {
    yield {
      name: `${engine}: ${name}, p50 by that of the idle server`,
      value: `${(median(during) / median(before)).toFixed(2)}x`,
      detail:
        `p50 ${median(during).toFixed(1)} by ${median(before).toFixed(1)} ms; p99 ${nearlyLongest(during).toFixed(1)} by ` +
        `${nearlyLongest(before).toFixed(1)} ms (${(nearlyLongest(during) / nearlyLongest(before)).toFixed(1)}x); ${during.length} served`,
    }
  }
  yield {
    name: `  the flood: ${FLOOD_CONNECTIONS} times ${SPANS_PER_BATCH} spans at once`,
    value: `${flood.cpuMicrosPerSpan.toFixed(1)} us`,
    detail: `CPU a span; ${flood.spansPerSecond.toFixed(0)} spans/s; longest delay ${flood.longestDelayMs.toFixed(0)} ms`,
  }
}

/** The 99th of a hundred. */
function nearlyLongest(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN
}
