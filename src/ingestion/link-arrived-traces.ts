/**
 * Connects new traces with the datasets and runs that their spans name. A dataset or run that does not exist is created once. Runs inside
 * the transaction that stores the spans, so that no reader sees a trace that is only partly linked.
 *
 * A trace that names only a dataset becomes an item of it. A trace that also names a run is a result for an item: it becomes a new item
 * only if the dataset has no item with the same question. The question is known once the root span has arrived.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Clock, timestamp } from '../base/clock.ts'
import { chunksOf, pauseEvery, yieldToEventLoop } from '../base/event-loop.ts'
import { isUuid, type NewId } from '../base/ids.ts'
import { findDatasetsOfAnyComponent } from '../datasets/dataset-queries.ts'
import { placeItems } from '../datasets/items/add-items.ts'
import { hashInputs } from '../datasets/items/input-hash.ts'
import { FOLLOWS_INPUT, FOLLOWS_OUTPUT, followsOf } from '../datasets/items/item-content.ts'
import {
  type FollowingItem,
  findItemHashes,
  findItemIds,
  lockFollowingItems,
  updateFollowingItem,
} from '../datasets/items/item-queries.ts'
import { nameDataset } from '../datasets/name-dataset.ts'
import { updateAutomaticItemId } from '../runs/automatic-link-queries.ts'
import { nameRun } from '../runs/name-run.ts'
import { insertRunTraceItems, updateTraceCount } from '../runs/run-queries.ts'
import { findMoves, unlink } from '../runs/unlink-moved-traces.ts'
import type { Queries } from '../storage/db.ts'
import type { StoredTrace } from '../traces/storing/store-spans.ts'
import { findTraceContents, type TraceContent } from '../traces/trace-contents.ts'

export type TraceLinker = {
  /** Returns which of these datasets exist. Spans that name another dataset are rejected. */
  findDatasets(tx: Queries, workspaceId: string, datasetIds: string[]): Promise<Map<string, { componentId: string }>>
  linkTraces(tx: Queries, workspaceId: string, traces: readonly StoredTrace[]): Promise<void>
}

export function createTraceLinker(deps: { clock: Clock; newId: NewId }): TraceLinker {
  return {
    async findDatasets(tx, workspaceId, datasetIds) {
      const ids = datasetIds.filter(isUuid).map((id) => id.toLowerCase())
      const found = await findDatasetsOfAnyComponent(tx, workspaceId, ids)
      const datasets = new Map<string, { componentId: string }>()
      for (const id of datasetIds) {
        const dataset = found.get(id.toLowerCase())
        if (dataset) datasets.set(id, dataset)
      }
      return datasets
    },

    async linkTraces(tx, workspaceId, traces) {
      const places = new Map<string, Placed>()
      const pause = pauseEvery(LINKS_PER_TURN)
      const news = traces.filter(hasNews)
      for (const trace of news) {
        await findPlace(tx, { ...deps, workspaceId, trace, places })
        await pause()
      }
      const placeOf = new Map<string, Placed>()
      for (const place of places.values()) for (const { traceId } of place.traces) placeOf.set(traceId, place)
      const linkedIds = news.filter(wasLinked).map(({ traceId }) => traceId)
      const moves = await findMoves(tx, workspaceId, linkedIds, (traceId) => placeOf.get(traceId))
      // All transactions lock in the same order, from the top down, so that they never deadlock.
      for (const place of [...places.values(), ...moves.departures].sort(byIds)) {
        if ('traces' in place) await fillPlace(tx, { ...deps, workspaceId, place, ownItems: moves.ownItems })
        else await unlink(tx, workspaceId, place)
        await pause()
      }
      await snapshotItems(tx, workspaceId, traces)
    },
  }
}

const LINKS_PER_TURN = 10

/**
 * Whether this batch changes which dataset or run the trace belongs to, or which item it matches there. The item depends on the question,
 * which is in the root span or else in the first model call. A trace without such changes is linked already; linking it again with every
 * late span would restore what users have deleted.
 */
function hasNews({ before, state }: StoredTrace): boolean {
  if (!before) return true
  const isSameQuestion = before.rootSpanId === state.rootSpanId && before.firstLlmSpanId === state.firstLlmSpanId
  const isSameLink = before.componentId === state.componentId && isDeepStrictEqual(before.links, state.links)
  return !isSameQuestion || !isSameLink
}

function wasLinked({ before }: StoredTrace): boolean {
  return before !== undefined && before.componentId !== null && namesPlace(before)
}

function namesPlace({ links }: StoredTrace['state']): boolean {
  return links.dataset !== undefined || links.datasetId !== undefined || links.run !== undefined
}

type Ids = Pick<Placed, 'componentId' | 'datasetId' | 'runId'>

function byIds(a: Ids, b: Ids): number {
  const [left, right] = [idsOf(a), idsOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function idsOf({ componentId, datasetId, runId }: Ids): string {
  return [componentId, datasetId, runId].join(' ')
}

type LinkDeps = { clock: Clock; newId: NewId; workspaceId: string }
type Placed = { componentId: string; datasetId: string; runId: string | undefined; traces: StoredTrace[] }

async function findPlace(
  tx: Queries,
  { trace, places, ...deps }: LinkDeps & { trace: StoredTrace; places: Map<string, Placed> },
): Promise<void> {
  const { componentId, links } = trace.state
  if (componentId === null || !namesPlace(trace.state)) return
  const name = JSON.stringify([componentId, links.datasetId, links.dataset, links.run])
  const known = places.get(name)
  if (known) {
    known.traces.push(trace)
    return
  }
  const run = links.run
  const scope = { workspaceId: deps.workspaceId, componentId }
  // A run that is named alone may exist in any dataset. If it does not, its dataset gets the same name.
  const asked = { id: links.datasetId?.toLowerCase(), name: links.dataset }
  const existing = asked.id === undefined && asked.name === undefined && run !== undefined
  const found = existing ? await nameRun(tx, deps.newId, { ...scope, name: run, datasetId: undefined }) : undefined
  const datasetId =
    found?.datasetId ?? (await nameDataset(tx, deps.newId, { ...scope, id: asked.id, name: asked.name ?? run ?? '' }))
  if (datasetId === undefined) return
  const placed =
    run === undefined ? undefined : (found ?? (await nameRun(tx, deps.newId, { ...scope, name: run, datasetId })))
  places.set(name, { componentId, datasetId, runId: placed?.id, traces: [trace] })
}

type Filling = LinkDeps & { place: Placed; ownItems: ReadonlyMap<string, string> }

async function fillPlace(tx: Queries, { place, ownItems, ...deps }: Filling): Promise<void> {
  const { workspaceId, newId, clock } = deps
  const { datasetId, componentId, runId, traces } = place
  const itemIds = await namedItems(tx, workspaceId, place)
  const unmet = runId === undefined ? traces : await withoutItem(tx, workspaceId, { ...place, itemIds, ownItems })
  if (unmet.length > 0) {
    const contents = unmet.map(({ traceId }) => ({ ...NOTHING, traceRef: traceId }))
    await placeItems(tx, newId, { workspaceId, componentId, datasetId }, contents, { linkedBy: 'spans' })
  }
  // A trace that became an item before its run or its question was known may match another item now.
  const met = traces.filter((trace) => !unmet.includes(trace)).flatMap(({ traceId }) => ownItems.get(traceId) ?? [])
  if (met.length > 0) {
    await unlink(tx, workspaceId, { componentId, datasetId, runId: undefined, itemIds: met, traceIds: [] })
  }
  if (runId === undefined) return
  const links = traces.map((trace) => {
    const itemId = itemIdOf(trace)
    return { traceRef: trace.traceId, itemId: itemIds.has(itemId) ? itemId : null }
  })
  const added = await insertRunTraceItems(tx, { workspaceId, runId, links, createdAt: timestamp(clock.now()) })
  if (added > 0) await updateTraceCount(tx, { workspaceId, runId, added })
  if (added === links.length) return
  for (const link of links) await updateAutomaticItemId(tx, { workspaceId, runId }, link)
}

const NOTHING = { input: null, output: null, expected: null, metadata: null, split: null }

/** The items that the traces name, if the dataset has them. */
async function namedItems(tx: Queries, workspaceId: string, { datasetId, traces }: Placed): Promise<Set<string>> {
  const named = new Set(traces.map(itemIdOf).filter(isUuid))
  return named.size === 0 ? named : findItemIds(tx, { workspaceId, datasetId }, [...named])
}

/** Empty if the trace names none. */
function itemIdOf({ state }: StoredTrace): string {
  return state.links.itemId?.toLowerCase() ?? ''
}

/** The traces of a run that match no item of its dataset, neither by id nor by question. */
async function withoutItem(
  tx: Queries,
  workspaceId: string,
  {
    datasetId,
    traces,
    itemIds,
    ownItems,
  }: Placed & { itemIds: ReadonlySet<string>; ownItems: ReadonlyMap<string, string> },
): Promise<StoredTrace[]> {
  const open = traces.filter((trace) => trace.state.rootSpanId !== null && !itemIds.has(itemIdOf(trace)))
  if (open.length === 0) return []
  const contents = await findTraceContents(
    tx,
    workspaceId,
    open.map(({ traceId }) => traceId),
  )
  const inputHashes = await hashInputs(open.map(({ traceId }) => contents.get(traceId)?.input ?? null))
  const hashes = new Map<StoredTrace, string>()
  for (const [place, hash] of inputHashes.entries()) {
    const trace = open[place]
    if (trace && hash !== null) hashes.set(trace, hash)
  }
  const own = new Set(open.flatMap(({ traceId }) => ownItems.get(traceId) ?? []))
  const known = await findItemHashes(tx, { workspaceId, datasetId }, [...new Set(hashes.values())], own)
  return open.filter((trace) => {
    const hash = hashes.get(trace)
    if (hash === undefined) return true
    if (known.has(hash)) return false
    known.add(hash)
    return true
  })
}

/** Input and output may be a mebibyte each. Small chunks bound the memory, regardless of how many traces arrive together. */
const TRACES_PER_STATEMENT = 25

/**
 * Updates existing items when spans of their traces arrive. Only fields that still follow the trace are written: the root has provided
 * the others, or a user has set or removed them, possibly while this transaction waited.
 */
async function snapshotItems(tx: Queries, workspaceId: string, traces: readonly { traceId: string }[]): Promise<void> {
  const following = await lockFollowingItems(
    tx,
    workspaceId,
    traces.map(({ traceId }) => traceId),
  )
  const byTrace = [...Map.groupBy(following, ({ trace_ref }) => trace_ref ?? '')]
  for (const chunk of chunksOf(byTrace, TRACES_PER_STATEMENT)) {
    const refs = chunk.map(([traceRef]) => traceRef)
    const contents = await findTraceContents(tx, workspaceId, refs)
    for (const [traceRef, items] of chunk) {
      const content = contents.get(traceRef)
      if (content) for (const item of items) await takeContent(tx, workspaceId, item, content)
    }
    if (chunk.length < byTrace.length) await yieldToEventLoop()
  }
}

async function takeContent(
  tx: Queries,
  workspaceId: string,
  item: FollowingItem,
  content: TraceContent,
): Promise<void> {
  const { provisional } = item
  // Absent content is not copied: the same trace may have had it before it was deleted and sent again.
  const input = (provisional & FOLLOWS_INPUT) === 0 ? null : content.input
  const output = (provisional & FOLLOWS_OUTPUT) === 0 ? null : content.output
  if (input === null && output === null) return
  const [inputHash = null] = await hashInputs([input])
  await updateFollowingItem(tx, workspaceId, item, {
    ...(input === null || inputHash === null ? {} : { input, input_hash: inputHash }),
    ...(output === null ? {} : { output }),
    provisional: provisional & followsOf(content),
  })
}
