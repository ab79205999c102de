import type { Clock } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { createIngest } from '../../src/ingestion/ingest-spans.ts'
import { createTraceLinker } from '../../src/ingestion/link-arrived-traces.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type ReceivedSpan, readerOf } from '../../src/traces/storing/received-span.ts'
import { createQuotas, NO_QUOTAS } from '../../src/workspaces/quotas.ts'
import { madeTrace, type TraceSet } from '../spans.ts'
import { copyTraces, multiplyRollups } from './copy-traces.ts'

const TRACES_PER_TURN = 100
const SPANS_PER_TURN = 2_000

export type SeededTraces = {
  set: TraceSet
  firstTrace: number
  traces: number
  spansPerTrace?: number
  /** Copies of each trace, with other ids. */
  copies?: number
}

/**
 * Stores traces, each at its start time, through the same operation as traces that are sent,
 * so that everything derived from a span is stored, too.
 */
export async function seedTraces(storage: Storage, seeded: SeededTraces): Promise<void> {
  const { set, firstTrace, traces, spansPerTrace, copies = 0 } = seeded
  let nowMs = 0
  const clock: Clock = { now: () => nowMs }
  const newId = idGenerator(clock)
  const ingest = createIngest({
    db: storage,
    clock,
    newId,
    linker: createTraceLinker({ clock, newId }),
    quotas: createQuotas({ limits: NO_QUOTAS, clock }),
  })
  const { id: workspaceId } = await storage.read.selectFrom('workspaces').select('id').executeTakeFirstOrThrow()
  const store = async (spans: ReceivedSpan[]) => {
    const { problems, traces: stored } = await ingest({ workspaceId }, readerOf(spans))
    if (problems.length > 0) throw new Error(problems.join('; '))
    if (copies === 0) return
    const traceDbIds = stored.map(({ id }) => id)
    await storage.transaction((tx) => copyTraces(tx, { workspaceId, traceDbIds, copies }))
  }
  for (let place = firstTrace; place < firstTrace + traces; ) {
    nowMs = Math.round(set.firstMs + place * set.msPerTrace)
    const spans: ReceivedSpan[] = []
    for (let turn = 0; turn < TRACES_PER_TURN && place < firstTrace + traces; turn += 1) {
      spans.push(...madeTrace(set, place, spansPerTrace))
      place += 1
    }
    for (let at = 0; at < spans.length; at += SPANS_PER_TURN) await store(spans.slice(at, at + SPANS_PER_TURN))
  }
  if (copies > 0) await storage.transaction((tx) => multiplyRollups(tx, copies))
}
