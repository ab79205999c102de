/**
 * Prices stored spans again on request, after prices were added or the bundled prices were updated. Costs that the sender reported stay
 * unchanged.
 *
 * Traces are processed in order of their ids, a few per transaction. Each transaction locks them, writes the costs of their spans and
 * their totals, and updates the rollups. The job can run twice and can be killed at any point: after each transaction all data is
 * consistent, and a repeated run finds the same prices and changes nothing.
 */

import { yieldToEventLoop } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { JobHandler } from '../../jobs/job-handler.ts'
import type { Queries } from '../../storage/db.ts'
import { chunkBySize } from '../chunk-rows.ts'
import { RollupChanges } from '../storing/rollup-queries.ts'
import { findTraceStates, updateTrace } from '../storing/trace-state-queries.ts'
import { listAllPrices } from './price-queries.ts'
import { createPricer } from './price-usage.ts'
import { listTracesToReprice } from './reprice-queries.ts'
import { type RepricePart, type Repricing, repriceTrace } from './reprice-trace.ts'

export const REPRICING = 'reprice'

const TRACES_PER_READ = 100
const CHUNK_TRACES = 20
const CHUNK_SPANS = 500

export const repriceHandler: JobHandler = {
  kind: REPRICING,
  async run({ workspaceId, payload, db, signal, commit }) {
    const pricer = createPricer()
    const window = { fromNs: nanosecondsOf(payload.startAfter), untilNs: nanosecondsOf(payload.startBefore) }
    const bulk = db.bulk({ application: workspaceId, from: 'job' })
    let afterId = NIL_ID
    while (!signal.aborted) {
      const traces = await listTracesToReprice(bulk, workspaceId, { ...window, afterId, limit: TRACES_PER_READ })
      for (const chunk of chunksBySpans(traces)) {
        let part: RepricePart | undefined = { afterSpanId: '', limit: CHUNK_SPANS }
        while (part && !signal.aborted) {
          const { afterSpanId, limit }: RepricePart = part
          part = await commit((tx) => repriceChunk(tx, { workspaceId, pricer }, chunk, { afterSpanId, limit }))
          await yieldToEventLoop()
        }
      }
      if (traces.length < TRACES_PER_READ) return
      afterId = traces.at(-1)?.id ?? afterId
    }
  },
  // Nothing to report: the cost of every trace is consistent with its spans, by the old prices or by the new ones.
  async onFailed() {},
}

/** Returns where to continue if the only trace of the chunk has more spans than fit into a transaction. */
async function repriceChunk(
  tx: Queries,
  { workspaceId, pricer }: Pick<Repricing, 'workspaceId' | 'pricer'>,
  chunk: readonly TraceToReprice[],
  part: RepricePart,
): Promise<RepricePart | undefined> {
  // Read for each chunk: spans that arrived during a long run were priced with prices that were set after it started.
  const repricing = { workspaceId, pricer, prices: await listAllPrices(tx, workspaceId) }
  const ids = new Set(chunk.map(({ id }) => id))
  const traceIds = chunk.map(({ traceId }) => traceId)
  const rollups = new RollupChanges()
  let next: RepricePart | undefined
  for (const trace of await findTraceStates(tx, workspaceId, traceIds)) {
    // A new trace may have started under the same name since the first was deleted.
    if (!ids.has(trace.id)) continue
    const { costUsd, totalTokens, modelSummary, lastSpanId } = await repriceTrace(tx, repricing, trace, part)
    // The smallest, in case several traces of the chunk have grown in the meantime: repricing a span twice is harmless.
    if (lastSpanId !== undefined && !(next && next.afterSpanId < lastSpanId))
      next = { ...part, afterSpanId: lastSpanId }
    const { state: before } = trace
    const isSameCost = costUsd === before.costUsd && totalTokens === before.totalTokens
    if (isSameCost && modelSummary === before.modelSummary) continue
    const state = { ...before, costUsd, totalTokens, modelSummary }
    rollups.add(before, -1)
    rollups.add(state, 1)
    await updateTrace(tx, workspaceId, { ...trace, state })
  }
  await rollups.write(tx, workspaceId)
  return next
}

type TraceToReprice = { id: string; traceId: string; spanCount: number }

/** Groups traces with fewer spans than one transaction may change. A larger trace is a chunk by itself. */
export function chunksBySpans(traces: readonly TraceToReprice[]): Generator<TraceToReprice[]> {
  return chunkBySize(traces, ({ spanCount }) => spanCount, { rowsMax: CHUNK_TRACES, sizeMax: CHUNK_SPANS - 1 })
}

function nanosecondsOf(time: string | undefined): bigint | null {
  return time === undefined ? null : BigInt(Date.parse(time)) * 1_000_000n
}
