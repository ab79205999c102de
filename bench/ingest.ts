import { join } from 'node:path'
import { startPostgres } from '../test/harness/postgres-server.ts'
import { type Child, startChild } from './harness/child.ts'
import { type Effort, median } from './harness/compare.ts'
import type { Batches, SpanFormat } from './harness/encode-spans.ts'
import type { LimitCommands } from './harness/ingest-limits.ts'
import type { Line } from './harness/line.ts'
import { type Servers, startTouchstone, type Touchstone } from './harness/servers.ts'
import type { SenderCommands } from './harness/span-sender.ts'
import { SPANS_PER_TRACE } from './spans.ts'

const BY_BARE_LOOP_MAX = 1.5

const CONNECTIONS = 12
const SPANS_PER_ROUND = 40_960
const WARM_UP_ROUNDS = 2
const FORMATS: SpanFormat[] = ['protobuf', 'json', 'protobuf+gzip']
const BATCH_SIZES = [512, 100]

type Case = { format: SpanFormat; spansPerBatch: number }
type Parts = { touchstone: Touchstone; sender: Child<SenderCommands>; limits: Child<LimitCommands> }

/** Microseconds of CPU per span: of the server without its index thread, of that thread, and of the lower bounds. */
type Sample = {
  storing: number
  indexing: number
  decoding: number
  makingRows: number
  storingBarely: number
  inserting: number
  perSecond: number
  rejected: number
}

/** Measures the cost of ingesting spans as CPU time of the whole server: over HTTP, until they are on disk. */
export async function* measureIngest({ rows }: Servers, effort: Effort): AsyncGenerator<Line> {
  const sender = await startChild<SenderCommands>(join(import.meta.dirname, 'harness/span-sender.ts'))
  const limits = await startChild<LimitCommands>(join(import.meta.dirname, 'harness/ingest-limits.ts'))
  try {
    for (const spansPerBatch of BATCH_SIZES) {
      for (const format of FORMATS) {
        // A new server for each case: a database that grows from case to case would distort the comparison.
        const touchstone = await startTouchstone()
        try {
          await touchstone.ask('seedComponents', rows)
          yield* linesOf(
            { format, spansPerBatch },
            await sample({ touchstone, sender, limits }, { format, spansPerBatch }, effort),
          )
        } finally {
          await touchstone.stop()
        }
      }
    }
    yield await onPostgres(rows, { sender, limits }, effort)
  } finally {
    await Promise.all([sender.stop(), limits.stop()])
  }
}

async function onPostgres(rows: number, parts: Omit<Parts, 'touchstone'>, effort: Effort): Promise<Line> {
  const postgres = await startPostgres()
  try {
    const touchstone = await startTouchstone(await postgres.createDatabase('bench'))
    try {
      await touchstone.ask('seedComponents', rows)
      const samples = await sample({ touchstone, ...parts }, { format: 'protobuf', spansPerBatch: 512 }, effort)
      const { value, detail } = storingLine({ format: 'protobuf', spansPerBatch: 512 }, samples)
      const rejected = samples.reduce((sum, one) => sum + one.rejected, 0)
      return {
        name: 'PostgreSQL: protobuf, 512 spans a request',
        value,
        detail: `${detail}; without the database’s CPU; ${rejected} requests had to be sent again`,
      }
    } finally {
      await touchstone.stop()
    }
  } finally {
    await postgres.stop()
  }
}

async function sample(
  { touchstone, sender, limits }: Parts,
  { format, spansPerBatch }: Case,
  effort: Effort,
): Promise<Sample[]> {
  const count = Math.ceil((SPANS_PER_ROUND * effort.share) / spansPerBatch)
  const spans = count * spansPerBatch
  const samples: Sample[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + effort.rounds; round += 1) {
    const firstTrace = round * Math.ceil(spans / SPANS_PER_TRACE)
    const batches: Batches = { format, spansPerBatch, count, firstTrace }
    await sender.ask('prepare', { ...batches, key: touchstone.key })
    const before = await cpuOf(touchstone)
    const { seconds, rejected } = await sender.ask('send', { port: touchstone.port, connections: CONNECTIONS })
    // The index thread must finish these spans before the next ones.
    await touchstone.ask('untilIndexed')
    const after = await cpuOf(touchstone)
    const indexing = after.indexing - before.indexing
    const decoding = await limits.ask('decode', batches)
    const makingRows = await limits.ask('makeRows', batches)
    const storingBarely = await limits.ask('storeBarely', batches)
    const inserting = await limits.ask('insertRaw', batches)
    if (round < WARM_UP_ROUNDS) continue
    samples.push({
      storing: (after.all - before.all - indexing) / spans,
      indexing: indexing / spans,
      decoding: decoding / spans,
      makingRows: makingRows / spans,
      storingBarely: storingBarely / spans,
      inserting: inserting / spans,
      perSecond: spans / seconds,
      rejected,
    })
  }
  const stored = await touchstone.ask('countSpans')
  const sent = spans * (WARM_UP_ROUNDS + effort.rounds)
  if (stored !== sent) throw new Error(`${sent} spans were sent, ${stored} are stored`)
  return samples
}

async function cpuOf(touchstone: Touchstone): Promise<{ all: number; indexing: number }> {
  return { indexing: await touchstone.ask('indexCpuMicros'), all: await touchstone.ask('cpuMicros') }
}

function* linesOf(what: Case, samples: Sample[]): Generator<Line> {
  yield storingLine(what, samples)
  yield ratioLine(samples, { part: 'makingRows', name: 'from bytes to rows without storing', what })
  yield ratioLine(samples, { part: 'decoding', name: 'reading the bytes alone', what })
  yield ratioLine(samples, {
    part: 'storingBarely',
    name: 'a bare loop from bytes to stored rows',
    max: BY_BARE_LOOP_MAX,
    what,
  })
  yield ratioLine(samples, { part: 'inserting', name: 'raw inserts of the same bytes', what })
  const indexing = spreadOf(samples.map((sample) => sample.indexing))
  // The cost of the thread would be hidden in the figures above.
  if (indexing.low <= 0) throw new Error('the thread of the index was not found')
  yield {
    name: '  index for searching, on its own thread',
    value: `${indexing.middle.toFixed(1)} us`,
    detail:
      `${indexing.low.toFixed(1)}-${indexing.high.toFixed(1)} a span; with it ` +
      `${Math.round(1e6 / median(samples.map((sample) => sample.indexing + sample.storing)))} spans per CPU second`,
  }
}

type Yardstick = {
  part: 'makingRows' | 'decoding' | 'storingBarely' | 'inserting'
  name: string
  max?: number
  what: Case
}

function ratioLine(samples: Sample[], { part, name, max, what }: Yardstick): Line {
  const { middle, low, high } = spreadOf(samples.map((sample) => sample.storing / sample[part]))
  const isBar = max !== undefined && what.spansPerBatch === 512
  return {
    name: `  storing by ${name}`,
    value: `${middle.toFixed(2)}x`,
    ...(isBar ? { bar: `<= ${max}x`, isMet: middle <= max } : {}),
    detail: `${low.toFixed(2)}-${high.toFixed(2)}; that takes ${microsOf(samples, part)} us a span`,
  }
}

function storingLine({ format, spansPerBatch }: Case, samples: Sample[]): Line {
  const { middle, low, high } = spreadOf(samples.map(({ storing }) => 1e6 / storing))
  const perSecond = median(samples.map((sample) => sample.perSecond))
  return {
    name: `${format}, ${spansPerBatch} spans a request, per CPU second`,
    value: middle.toFixed(0),
    detail: `${low.toFixed(0)}-${high.toFixed(0)}; ${microsOf(samples, 'storing')} us a span; ${perSecond.toFixed(0)} spans/s by the clock`,
  }
}

function microsOf(samples: Sample[], part: keyof Sample): string {
  return median(samples.map((sample) => sample[part])).toFixed(1)
}

function spreadOf(values: number[]): { middle: number; low: number; high: number } {
  return { middle: median(values), low: Math.min(...values), high: Math.max(...values) }
}
