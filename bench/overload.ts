import { join } from 'node:path'
import { startChild } from './harness/child.ts'
import type { Effort } from './harness/compare.ts'
import { type Line, limitLine } from './harness/line.ts'
import type { Offered } from './harness/offer-spans.ts'
import { type Servers, startTouchstone } from './harness/servers.ts'
import type { SenderCommands } from './harness/span-sender.ts'
import { watchMemory } from './harness/watch-memory.ts'

const MEGABYTES_MAX = 400
const TIMES_CAPACITY = 3
const SPANS_PER_BATCH = 512
const CAPACITY_BATCHES = 120
const CAPACITY_CONNECTIONS = 12
const SECONDS = 60
const SECONDS_MIN = 20

/**
 * Sends three times as many spans as can be stored: accepted spans must be stored, the others rejected, and memory
 * must not grow.
 */
export async function* measureOverload(_servers: Servers, { share }: Effort): AsyncGenerator<Line> {
  const sender = await startChild<SenderCommands>(join(import.meta.dirname, 'harness/span-sender.ts'))
  // Every rejection is a log line, and there are thousands of them.
  const touchstone = await startTouchstone(undefined, 'silent')
  try {
    const { key, port } = touchstone
    const batches = { format: 'protobuf', spansPerBatch: SPANS_PER_BATCH, count: CAPACITY_BATCHES } as const
    let seconds = 0
    for (const round of [0, 1]) {
      await sender.ask('prepare', { ...batches, firstTrace: round * CAPACITY_BATCHES * SPANS_PER_BATCH, key })
      const sent = await sender.ask('send', { port, connections: CAPACITY_CONNECTIONS })
      seconds = sent.seconds
    }
    const capacity = CAPACITY_BATCHES / seconds
    const before = await touchstone.ask('countSpans')
    const offering = sender.ask('offer', {
      key,
      port,
      spansPerBatch: SPANS_PER_BATCH,
      batchesPerSecond: capacity * TIMES_CAPACITY,
      seconds: Math.max(SECONDS_MIN, SECONDS * share),
      firstNumber: 1,
    })
    const [offered, memory] = await Promise.all([offering, watchMemory(touchstone, offering)])
    const stored = (await touchstone.ask('countSpans')) - before
    yield* linesOf(offered, { capacity, stored })
    yield {
      ...limitLine('  memory at its highest', memory.ownMegabytes, { max: MEGABYTES_MAX, unit: 'MB' }),
      detail:
        `${memory.tenths.map((megabytes) => megabytes.toFixed(0)).join(' ')} MB, every tenth of the time; in addition up to ` +
        `${memory.mappedMegabytes.toFixed(0)} MB of files, shared`,
    }
  } finally {
    await Promise.all([sender.stop(), touchstone.stop()])
  }
}

function* linesOf(offered: Offered, { capacity, stored }: { capacity: number; stored: number }): Generator<Line> {
  const { answers, bareRejections, held, connections, seconds } = offered
  const times = offered.offered / seconds / capacity
  const taken = answers['200'] ?? 0
  yield {
    name: `${TIMES_CAPACITY} times what can be stored: offered`,
    // Not `x`, which is a ratio that is compared with the recorded one: how much was sent is no cost.
    value: `${times.toFixed(2)} times`,
    detail:
      `${(capacity * SPANS_PER_BATCH).toFixed(0)} spans/s stored at ease, ${((taken / seconds) * SPANS_PER_BATCH).toFixed(0)} under it; ` +
      `${seconds.toFixed(0)} s; at most ${connections} connections; ${held} requests could not be sent in time`,
  }
  const others = offered.offered - taken - (answers['503'] ?? 0) + bareRejections
  const counts = Object.entries(answers).map(([status, count]) => `${count} x ${status}`)
  yield {
    ...limitLine('  answers other than 200, or 503 with Retry-After', others, { max: 0, unit: '' }),
    detail: counts.join(', '),
  }
  const lost = Math.abs(stored - taken * SPANS_PER_BATCH)
  yield {
    ...limitLine('  spans stored and not acknowledged, or reversed', lost, { max: 0, unit: '' }),
    detail: `${taken * SPANS_PER_BATCH} acknowledged, ${stored} stored`,
  }
}
