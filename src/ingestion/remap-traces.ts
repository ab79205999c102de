/**
 * Maps all stored traces again that were mapped by an older version of the mapping.
 *
 * Traces are processed in order of their ids, a few per transaction. Each transaction locks them, writes the differences, links them and
 * marks them as done. The process can be killed at any point and run again: marked traces are skipped. It can run while servers are
 * active, because each transaction is as short as that of a batch of spans.
 */
import { byId, readPages, yieldToEventLoop } from '../base/event-loop.ts'
import type { Db, Queries } from '../storage/db.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import { createPricer, type Pricer } from '../traces/pricing/price-usage.ts'
import { chunksBySpans } from '../traces/pricing/reprice-traces.ts'
import { countTracesToRemap, listTracesToRemap, listWorkspaceIdsOfAll } from '../traces/storing/remap-queries.ts'
import { remapTrace } from '../traces/storing/remap-trace.ts'
import { RollupChanges } from '../traces/storing/rollup-queries.ts'
import type { StoredTrace } from '../traces/storing/store-spans.ts'
import { findTraceStates } from '../traces/storing/trace-state-queries.ts'
import { changeStoredBytes } from '../workspaces/usage-queries.ts'
import { lockWorkspaceShared } from '../workspaces/workspace-queries.ts'
import type { TraceLinker } from './link-arrived-traces.ts'

const TRACES_PER_READ = 200

type RemapProgress = { workspaceId: string; done: number; total: number }

type Deps = { db: Db; linker: TraceLinker; onProgress(progress: RemapProgress): void }

/** Returns how many traces were mapped again, in one workspace or in all. */
export async function remapTraces({ db, linker, onProgress }: Deps, workspaceId?: string): Promise<number> {
  const pricer = createPricer()
  const workspaceIds = workspaceId === undefined ? await listWorkspaceIdsOfAll(db.read) : [workspaceId]
  let sum = 0
  for (const id of workspaceIds) sum += await remapWorkspace({ db, linker, pricer, onProgress }, id)
  return sum
}

async function remapWorkspace(
  { db, linker, pricer, onProgress }: Deps & { pricer: Pricer },
  workspaceId: string,
): Promise<number> {
  const total = await countTracesToRemap(db.read, workspaceId)
  let done = 0
  const pages = readPages((page) => listTracesToRemap(db.read, workspaceId, page), byId(TRACES_PER_READ))
  for await (const traces of pages) {
    for (const chunk of chunksBySpans(traces)) {
      done += await db.transaction((tx) => remapChunk(tx, { workspaceId, linker, pricer }, chunk))
      await yieldToEventLoop()
    }
    if (traces.length > 0) onProgress({ workspaceId, done, total: Math.max(total, done) })
  }
  return done
}

async function remapChunk(
  tx: Queries,
  { workspaceId, linker, pricer }: { workspaceId: string; linker: TraceLinker; pricer: Pricer },
  chunk: readonly { id: string; traceId: string }[],
): Promise<number> {
  // First, because all writers of traces lock in this order.
  if (!(await lockWorkspaceShared(tx, workspaceId))) return 0
  const rollups = new RollupChanges()
  const prices = await listAllPrices(tx, workspaceId)
  const findDatasets = (datasetIds: string[]) => linker.findDatasets(tx, workspaceId, datasetIds)
  const ids = new Set(chunk.map(({ id }) => id))
  const senderIds = chunk.map(({ traceId }) => traceId)
  const remapped: StoredTrace[] = []
  for (const trace of await findTraceStates(tx, workspaceId, senderIds)) {
    // A new trace may have started under the same name since the first was deleted.
    if (!ids.has(trace.id)) continue
    remapped.push(await remapTrace(tx, { workspaceId, pricer, prices, rollups, findDatasets }, trace))
  }
  await linker.linkTraces(tx, workspaceId, remapped)
  await rollups.write(tx, workspaceId)
  await changeStoredBytes(tx, workspaceId, rollups.storedBytes)
  return remapped.length
}
