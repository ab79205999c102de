/**
 * Prices what is stored anew, because somebody asked for it: prices were added, or the program has learned newer ones. What a sender
 * has reported itself stays.
 *
 * Traces are taken in the order of their ids, a few in each transaction, which holds them, writes the costs of their spans and their
 * own, and brings the sums along. Safe to run twice and to be killed anywhere: after each transaction everything agrees, and a run
 * that begins anew finds the same prices for what was done already, and changes nothing of it.
 */
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { JobHandler } from '../../jobs/job-handler.ts'
import type { Queries } from '../../storage/db.ts'
import { RollupChanges } from '../storing/rollups.ts'
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
  async run({ workspaceId, payload, db, signal, write }) {
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
          part = await write((tx) => repriceChunk(tx, { workspaceId, pricer }, chunk, { afterSpanId, limit }))
          await yieldToEventLoop()
        }
      }
      if (traces.length < TRACES_PER_READ) return
      afterId = traces.at(-1)?.id ?? afterId
    }
  },
  // Nothing to tell anybody: every trace has a cost that agrees with its spans, by the old prices or by the new ones.
  async onFailed() {},
}

/** Answers where to go on, if the one trace of the chunk has more spans than fit into a transaction. */
async function repriceChunk(
  tx: Queries,
  { workspaceId, pricer }: Pick<Repricing, 'workspaceId' | 'pricer'>,
  chunk: readonly TraceToReprice[],
  part: RepricePart,
): Promise<RepricePart | undefined> {
  // Read here and not once for all: what arrived during a long run was priced with what has been set since it began.
  const repricing = { workspaceId, pricer, prices: await listAllPrices(tx, workspaceId) }
  const ids = new Set(chunk.map(({ id }) => id))
  const traceIds = chunk.map(({ traceId }) => traceId)
  const rollups = new RollupChanges()
  let next: RepricePart | undefined
  for (const trace of await findTraceStates(tx, workspaceId, traceIds)) {
    // Another trace may have begun under the same name since the first was deleted.
    if (!ids.has(trace.id)) continue
    const { costUsd, totalTokens, lastSpanId } = await repriceTrace(tx, repricing, trace, part)
    // The least of them, for a chunk in which several have grown meanwhile: doing a span twice is harmless.
    if (lastSpanId !== undefined && !(next && next.afterSpanId < lastSpanId))
      next = { ...part, afterSpanId: lastSpanId }
    if (costUsd === trace.state.costUsd && totalTokens === trace.state.totalTokens) continue
    const state = { ...trace.state, costUsd, totalTokens }
    rollups.add(trace.state, -1)
    rollups.add(state, 1)
    await updateTrace(tx, workspaceId, { ...trace, state })
  }
  await rollups.write(tx, workspaceId)
  return next
}

type TraceToReprice = { id: string; traceId: string; spanCount: number }

/** A few traces together, as long as their spans fit into one transaction; a larger one alone. */
export function* chunksBySpans(traces: readonly TraceToReprice[]): Generator<TraceToReprice[]> {
  let chunk: TraceToReprice[] = []
  let spans = 0
  for (const trace of traces) {
    if (chunk.length > 0 && (chunk.length === CHUNK_TRACES || spans + trace.spanCount >= CHUNK_SPANS)) {
      yield chunk
      chunk = []
      spans = 0
    }
    chunk.push(trace)
    spans += trace.spanCount
  }
  if (chunk.length > 0) yield chunk
}

function nanosecondsOf(time: string | undefined): bigint | null {
  return time === undefined ? null : BigInt(Date.parse(time)) * 1_000_000n
}
