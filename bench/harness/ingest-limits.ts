/**
 * Lower bounds for storing spans: reading without storing, storing bytes without reading, and both in a bare loop,
 * without the state of traces, facets, links, rollups and HTTP. Each command returns the CPU time of this process.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { decompress } from '../../src/ingestion/otlp/decompress.ts'
import { decodeJson } from '../../src/ingestion/otlp/json/decode-json.ts'
import { decodeProtobuf } from '../../src/ingestion/otlp/protobuf/decode-protobuf.ts'
import { createPricer } from '../../src/traces/pricing/price-usage.ts'
import {
  buildSpanRow,
  type PreparedSpan,
  placeSpan,
  resourceScopeWriter,
  SPAN_COLUMNS,
} from '../../src/traces/storing/build-span-row.ts'
import type { ReceivedSpan } from '../../src/traces/storing/received-span.ts'
import { SENT_TRACES } from '../spans.ts'
import { serveParent } from './child.ts'
import { type Batches, encodeBatches } from './encode-spans.ts'

const ROWS_PER_TRANSACTION = 1_000
const BATCHES_PER_TRANSACTION = 4
const WORKSPACE = '01a00000-0000-7000-8000-000000000001'
const LIMITS = { bytesMax: 20 << 20, onSize: () => {} }

const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
const database = new Database(join(folder, 'raw.db'))
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec('create table raw (position integer primary key, content blob not null)')
const insert = database.prepare('insert into raw (content) values (?)')
database.exec(`create table spans (position integer primary key autoincrement, ${SPAN_COLUMNS.join(', ')},
  unique (workspace_id, trace_id, span_id))`)
const insertSpan = database.prepare(
  `insert into spans (${SPAN_COLUMNS.join(', ')}) values (${SPAN_COLUMNS.map(() => '?').join(', ')}) on conflict do nothing`,
)

const commands = {
  decode: async (batches: Batches) => {
    const bodies = encodeBatches(SENT_TRACES, batches)
    return cpuOf(async () => {
      for (const body of bodies) await decode(body, batches, () => undefined)
    })
  },
  /** From bytes to rows: decoded, interpreted, priced and converted to values, then discarded. */
  makeRows: async (batches: Batches) => {
    const bodies = encodeBatches(SENT_TRACES, batches)
    const pricer = createPricer()
    return cpuOf(async () => {
      for (const body of bodies) {
        const context = { pricer, prices: [], resourceScopeOf: resourceScopeWriter() }
        await decode(body, batches, (span) => buildSpanRow(span, context))
      }
    })
  },
  /** From bytes to stored rows, with prepared statements only. */
  storeBarely: async (batches: Batches) => {
    const bodies = encodeBatches(SENT_TRACES, batches)
    const pricer = createPricer()
    return cpuOf(async () => {
      for (let at = 0; at < bodies.length; at += BATCHES_PER_TRANSACTION) {
        database.exec('begin immediate')
        for (const body of bodies.slice(at, at + BATCHES_PER_TRANSACTION)) {
          const context = { pricer, prices: [], resourceScopeOf: resourceScopeWriter() }
          await decode(body, batches, (span) => insertSpan.run(rowOf(buildSpanRow(span, context))))
        }
        database.exec('commit')
      }
    })
  },
  insertRaw: async (batches: Batches) => {
    const rows = rowsOf(batches)
    return cpuOf(async () => {
      for (let at = 0; at < rows.length; at += ROWS_PER_TRANSACTION) {
        database.exec('begin immediate')
        for (const row of rows.slice(at, at + ROWS_PER_TRANSACTION)) insert.run(row)
        database.exec('commit')
      }
    })
  },
}

export type LimitCommands = typeof commands

serveParent(0, commands, async () => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

async function decode(
  body: Buffer,
  { format, spansPerBatch }: Batches,
  keep: (span: ReceivedSpan) => unknown,
): Promise<void> {
  const bytes = await decompress(body, format === 'protobuf+gzip' ? 'gzip' : 'identity', LIMITS)
  const { spans } = format === 'json' ? await decodeJson(bytes, keep) : await decodeProtobuf(bytes, keep)
  if (spans.length !== spansPerBatch) throw new Error(`${spansPerBatch} spans were sent, ${spans.length} read`)
}

/** The id of the trace in the database is as long as a UUID: the sender's id with four more characters. */
function rowOf(span: PreparedSpan) {
  return placeSpan(span, { workspaceId: WORKSPACE, traceDbId: `0000${span.traceId}`, covered: 0, isOrphan: false })
}

/** The decompressed bytes of a request, in as many pieces as it has spans. */
function rowsOf(batches: Batches): Buffer[] {
  const format = batches.format === 'json' ? 'json' : 'protobuf'
  const { spansPerBatch: count } = batches
  return encodeBatches(SENT_TRACES, { ...batches, format }).flatMap((body) =>
    Array.from({ length: count }, (_, place) =>
      body.subarray(Math.floor((place * body.length) / count), Math.floor(((place + 1) * body.length) / count)),
    ),
  )
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
