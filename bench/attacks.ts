import { Worker } from 'node:worker_threads'
import { type Effort, median } from './harness/compare.ts'
import type { Flood } from './harness/flood-thread.ts'
import type { Line } from './harness/line.ts'
import { encodeRequest, exchange, open } from './harness/load.ts'
import { type Servers, startTouchstone, type Touchstone } from './harness/servers.ts'

const RATIO_MAX = 3
const ROUNDS = 1_500
/** Until the attack is on, and the code of the server is compiled. */
const WARM_UP_ROUNDS = 200
const REQUESTS_PER_CONNECTION = 200

type Attack = { name: string } & Omit<Flood, 'port' | 'counts'>

function attacksOf(key: string): Attack[] {
  const get = (path: string, ...headers: string[]) =>
    `${[`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`
  const many = { connections: 100, pipelined: 1, isRead: true }
  const unread = { request: get('/api/v1/openapi.json'), connections: 300, pipelined: 20, isRead: false }
  return [
    { name: '300 x 20 unread descriptions', ...unread },
    // For information: accepting connections is not shared between callers.
    { name: '  reopened every 100 ms', ...unread, reopenMs: 100 },
    { name: '100 connections guess shared links', request: get(`/shared/${'a'.repeat(43)}`), ...many },
    { name: '100 connections without a key', request: get('/api/v1/components'), ...many },
    { name: 'one key x 100 connections', request: get('/api/v1/workspace', `Authorization: Bearer ${key}`), ...many },
  ]
}

/** Measures what a key waits for while others use the main thread as much as they can, compared with the same server before. */
export async function* measureAttacks(_servers: Servers, { share }: Effort): AsyncGenerator<Line> {
  const rounds = Math.ceil(ROUNDS * share)
  const touchstone = await startTouchstone(undefined, 'silent')
  try {
    const key = await touchstone.ask('newApplication')
    for (const { name, ...flood } of attacksOf(touchstone.key)) {
      await timesOf(touchstone, key, WARM_UP_ROUNDS)
      const idle = await timesOf(touchstone, key, rounds)
      const counts = new Int32Array(new SharedArrayBuffer(8))
      const thread = new Worker(new URL('./harness/flood-thread.ts', import.meta.url), {
        workerData: { port: touchstone.port, counts, ...flood },
      })
      await untilOn(flood, counts)
      await timesOf(touchstone, key, WARM_UP_ROUNDS)
      const answeredBefore = Atomics.load(counts, 1)
      const during = await timesOf(touchstone, key, rounds)
      const answered = Atomics.load(counts, 1) - answeredBefore
      await thread.terminate()
      // Otherwise the figure is that of an idle server.
      if (flood.isRead && answered < during.length) throw new Error(`${name}: only ${answered} requests were answered`)
      const ratio = median(during) / median(idle)
      yield {
        name,
        value: `${ratio.toFixed(2)}x`,
        ...(flood.reopenMs === undefined ? { bar: `<= ${RATIO_MAX}x`, isMet: ratio <= RATIO_MAX } : {}),
        detail: `p50 of a bystander ${median(during).toFixed(2)} by ${median(idle).toFixed(2)} ms; ${during.length} served, ${answered} of the attack`,
      }
    }
  } finally {
    await touchstone.stop()
  }
}

/** When each connection has sent its first requests, and has had answers to several if it reads them. */
async function untilOn(
  { connections, pipelined, isRead }: Omit<Attack, 'name'>,
  counts: Flood['counts'],
): Promise<void> {
  const isOn = () =>
    isRead ? Atomics.load(counts, 1) > 10 * connections : Atomics.load(counts, 0) >= connections * pipelined
  while (!isOn()) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function timesOf({ port }: Touchstone, key: string, rounds: number): Promise<number[]> {
  const request = encodeRequest({ method: 'GET', path: '/api/v1/workspace', key })
  const times: number[] = []
  let socket = await open(port)
  for (let done = 0; done < rounds; done += 1) {
    if (done % REQUESTS_PER_CONNECTION === REQUESTS_PER_CONNECTION - 1) {
      socket.destroy()
      socket = await open(port)
    }
    const startedAt = performance.now()
    const { head } = await exchange(socket, request)
    times.push(performance.now() - startedAt)
    if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`expected 200, got ${head}`)
  }
  socket.destroy()
  return times
}
