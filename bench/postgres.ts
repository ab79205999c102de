import { join } from 'node:path'
import { startPostgres } from '../test/harness/postgres-server.ts'
import { createComponent } from './create.ts'
import { getOne } from './get-one.ts'
import { startChild } from './harness/child.ts'
import { compare, type Effort, median } from './harness/compare.ts'
import { type Line, ratioLine } from './harness/line.ts'
import { type Servers, startTouchstone, type Touchstone } from './harness/servers.ts'
import type { SenderCommands } from './harness/span-sender.ts'
import { listFirst } from './list.ts'
import { SPANS_PER_TRACE } from './spans.ts'
import { twoServersLine } from './two-servers.ts'

/** Of the CPU time on SQLite. */
const RATIO_MAX = 2
const WARM_UP_ROUNDS = 2
const CONNECTIONS = 12
const SPANS_PER_BATCH = 100
const BATCHES_PER_ROUND = 200

/**
 * The same operations on PostgreSQL, relative to SQLite: the CPU time of the server process, without that of the
 * database.
 */
export async function* measurePostgres({ touchstone: embedded, rows }: Servers, effort: Effort): AsyncGenerator<Line> {
  const postgres = await startPostgres()
  try {
    const url = await postgres.createDatabase('bench')
    const touchstone = await startTouchstone(url)
    const other = await startTouchstone(url)
    try {
      await touchstone.ask('seedComponents', rows)
      for (const operation of [getOne(rows), listFirst, createComponent]) {
        const subject = { server: touchstone, requests: operation.requests(touchstone.key) }
        const yardstick = { server: embedded, requests: operation.requests(embedded.key) }
        const comparison = await compare(operation, { subject, yardstick }, effort)
        yield ratioLine(`PostgreSQL by SQLite: ${operation.name}`, comparison, RATIO_MAX)
        yield await twoServersLine(operation, { one: touchstone, other }, effort)
      }
      yield await storingLine(touchstone, embedded, effort)
    } finally {
      await Promise.all([touchstone.stop(), other.stop()])
    }
  } finally {
    await postgres.stop()
  }
}

/** Storing spans. On SQLite with the text index, which the process builds itself. */
async function storingLine(touchstone: Touchstone, embedded: Touchstone, effort: Effort): Promise<Line> {
  const sender = await startChild<SenderCommands>(join(import.meta.dirname, 'harness/span-sender.ts'))
  const count = Math.ceil(BATCHES_PER_ROUND * effort.share)
  const spans = count * SPANS_PER_BATCH
  const microsOf = async (server: Touchstone, round: number) => {
    const firstTrace = round * Math.ceil(spans / SPANS_PER_TRACE)
    await sender.ask('prepare', {
      format: 'protobuf',
      spansPerBatch: SPANS_PER_BATCH,
      count,
      firstTrace,
      key: server.key,
    })
    const before = await server.ask('cpuMicros')
    await sender.ask('send', { port: server.port, connections: CONNECTIONS })
    await server.ask('untilIndexed')
    return ((await server.ask('cpuMicros')) - before) / spans
  }
  try {
    const samples: { onPostgres: number; onSqlite: number }[] = []
    for (let round = 0; round < WARM_UP_ROUNDS + effort.rounds; round += 1) {
      const onSqlite = await microsOf(embedded, round)
      const onPostgres = await microsOf(touchstone, round)
      if (round >= WARM_UP_ROUNDS) samples.push({ onPostgres, onSqlite })
    }
    const ratios = samples.map(({ onPostgres, onSqlite }) => onPostgres / onSqlite)
    const ratio = median(ratios)
    return {
      name: `PostgreSQL by SQLite: storing, ${SPANS_PER_BATCH} spans a request`,
      value: `${ratio.toFixed(2)}x`,
      bar: `<= ${RATIO_MAX}x`,
      isMet: ratio <= RATIO_MAX,
      detail:
        `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}; CPU ` +
        `${median(samples.map(({ onPostgres }) => onPostgres)).toFixed(0)} by ` +
        `${median(samples.map(({ onSqlite }) => onSqlite)).toFixed(0)} us a span`,
    }
  } finally {
    await sender.stop()
  }
}
