/**
 * Stores spans from any protocol.
 *
 * When it is the request's turn, each span is mapped, priced and converted to a row as it is read. One transaction then stores the rows,
 * the state of their traces, facets, rollups and links; a large request needs several, with others in between, and a trace is cut only if
 * it is larger than one of them. The promise resolves when all of it is on disk and readable. If a transaction fails, the sender is asked
 * to retry, which leaves unchanged what is stored.
 */
import { type Clock, timestamp } from '../base/clock.ts'
import { notFound, unauthorized } from '../base/errors.ts'
import { chunksOf } from '../base/event-loop.ts'
import type { NewId } from '../base/ids.ts'
import { lockComponent } from '../components/component-queries.ts'
import type { Db, Queries } from '../storage/db.ts'
import { hasOneWriter } from '../storage/dialect.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import { createPricer } from '../traces/pricing/price-usage.ts'
import { buildSpanRow, contentBytes, type PreparedSpan, resourceScopeWriter } from '../traces/storing/build-span-row.ts'
import type { ReadSpans } from '../traces/storing/received-span.ts'
import { insertResourceScopes } from '../traces/storing/resource-scope-queries.ts'
import { type CreateComponents, storeSpans } from '../traces/storing/store-spans.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { lockWorkspaceShared } from '../workspaces/workspace-queries.ts'
import { componentCreation, type TraceSender } from './create-named-components.ts'
import type { TraceLinker } from './link-arrived-traces.ts'
import { joinPendingEvents, joinWaitingEvents } from './pending-events.ts'

const RESOURCE_SCOPES_KEPT_MAX = 10_000
const REPORTED_MAX = 5
const PARTS_QUEUED = 8
/**
 * What needs some 50 ms at most: on the embedded engine, all other writers wait for it. Rows are spans and traces, which cost about the
 * same. The default of exporters, 512 spans, is stored in one transaction unless most of them are traces of their own.
 */
const PER_TRANSACTION = { rowsMax: 600, bytesMax: 2 << 20 }

export type IngestDeps = { db: Db; clock: Clock; newId: NewId; linker: TraceLinker; quotas: Quotas }

type Ingested = { rejectedCount: number; problems: string[]; traces: IngestedTrace[] }

/** A trace that received spans. */
type IngestedTrace = { id: string; traceId: string; isNew: boolean }

type IngestTarget = {
  workspaceId: string
  componentId?: string | undefined
  /** A handle whose transaction stores all of the spans, such as one that is open. By default, a large request needs several. */
  within?: Db | undefined
  /** May create the components that the spans name, if the application allows it. By default none is created. */
  sender?: TraceSender | undefined
}

type StoreTarget = IngestTarget & { createComponents: CreateComponents | undefined }

export type Ingest = (to: IngestTarget, read: ReadSpans) => Promise<Ingested>

export function createIngest({ db, clock, newId, linker, quotas }: IngestDeps): Ingest {
  const pricer = createPricer()
  const knownResourceScopes = new Set<string>()

  type Prices = Awaited<ReturnType<typeof listAllPrices>>

  async function store(
    tx: Queries,
    { workspaceId, componentId, createComponents }: StoreTarget,
    { spans, prices, isAdmitted }: { spans: PreparedSpan[]; prices: Prices; isAdmitted: boolean },
  ) {
    const today = timestamp(clock.now()).slice(0, 10)
    const nameOf = (hash: string) => `${workspaceId} ${hash} ${today}`
    const resourceScopes = new Map(spans.map(({ resourceScope }) => [resourceScope.hash, resourceScope]))
    const unknownResourceScopes = [...resourceScopes.values()].filter(
      ({ hash }) => !knownResourceScopes.has(nameOf(hash)),
    )
    // The workspace may have been deleted since the key was checked. Data stored under it now would have to be purged.
    if (!(await lockWorkspaceShared(tx, workspaceId))) throw unauthorized()
    if (componentId && !(await lockComponent(tx, workspaceId, componentId))) throw notFound('Component')
    const { accepted, rejected, datasets } = await rejectUnknownDatasets(tx, workspaceId, spans, linker)
    await insertResourceScopes(tx, { workspaceId, resourceScopes: unknownResourceScopes, usedOn: today })
    const stored = await storeSpans(tx, newId, {
      workspaceId,
      componentId,
      datasets,
      createComponents,
      spans: accepted,
    })
    const joining = { workspaceId, traces: stored.traces, linker, pricer, prices, rollups: stored.rollups }
    const traces = await joinPendingEvents(tx, joining)
    await linker.linkTraces(tx, workspaceId, traces)
    await stored.rollups.write(tx, workspaceId)
    const bytes = stored.added.bytes + stored.rollups.storedBytes
    const added = { spans: stored.added.spans, bytes, isAdmitted }
    if (added.spans > 0) await quotas.countSpans(tx, workspaceId, added)
    const traceIds = [...new Set(accepted.map(({ traceId }) => traceId))]
    return { ...stored, traceIds, rejected, newResourceScopes: unknownResourceScopes.map(({ hash }) => nameOf(hash)) }
  }

  type Stored = Awaited<ReturnType<typeof store>>

  async function storePart(to: StoreTarget, work: Parameters<typeof store>[2]): Promise<Stored> {
    const { workspaceId } = to
    const stored = await db.transaction((tx) => store(tx, to, work), workspaceId)
    await joinWaitingEvents(db, { workspaceId, traceIds: stored.traceIds, linker, pricer })
    // Only after the commit: resource scopes that were rolled back must be written again.
    if (knownResourceScopes.size > RESOURCE_SCOPES_KEPT_MAX) knownResourceScopes.clear()
    for (const name of stored.newResourceScopes) knownResourceScopes.add(name)
    return stored
  }

  /** Stores the spans by transactions that others may pass between. */
  async function storeInTurns(to: StoreTarget, spans: readonly PreparedSpan[], prices: Prices): Promise<Stored[]> {
    const [first = [], ...rest] = cutByTraces(spans)
    const parts = [await storePart(to, { spans: first, prices, isAdmitted: false })]
    // The one writer of an embedded database keeps their order, and commits them together while no other application writes.
    for (const chunk of chunksOf(rest, hasOneWriter(db.read) ? PARTS_QUEUED : 1)) {
      // A quota rejects whole requests: one that was admitted may exceed it.
      const queued = chunk.map((part) => storePart(to, { spans: part, prices, isAdmitted: true }))
      // No part goes on after the response.
      await Promise.allSettled(queued)
      parts.push(...(await Promise.all(queued)))
    }
    return parts
  }

  /** Prepared only when a component is unknown. */
  function creationFor(sender: TraceSender): CreateComponents {
    let create: CreateComponents | undefined
    return (tx, names) => {
      create ??= componentCreation(newId, sender)
      return create(tx, names)
    }
  }

  return async (target, read) => {
    const { workspaceId, within, sender } = target
    const to = { ...target, createComponents: sender && creationFor(sender) }
    quotas.assertSpansLeft(workspaceId)
    const prices = await listAllPrices(db.read, workspaceId)
    const preparing = { pricer, prices, resourceScopeOf: resourceScopeWriter() }
    const { spans, ...received } = await read((span) => buildSpanRow(span, preparing))
    if (spans.length === 0) return { ...received, traces: [] }
    // Callers with a transaction of their own send traces as JSON, which have no separate events.
    const parts = within
      ? [await within.transaction((tx) => store(tx, to, { spans, prices, isAdmitted: false }))]
      : await storeInTurns(to, spans, prices)
    const rejected = parts.flatMap((part) => part.rejected)
    const unknownComponents = new Set(parts.flatMap((part) => part.unknownComponents))
    return {
      rejectedCount: received.rejectedCount + rejected.length,
      problems: [...received.problems, ...rejectionsOf(rejected), ...warningsOf([...unknownComponents])],
      traces: parts.flatMap(({ traces }) =>
        traces.map(({ id, traceId, before }) => ({ id, traceId, isNew: before === undefined })),
      ),
    }
  }
}

/** Traces stay whole, so that readers do not see parts of them, unless one alone is more than a transaction stores. */
function* cutByTraces(spans: readonly PreparedSpan[]): Generator<PreparedSpan[]> {
  let part: PreparedSpan[] = []
  let left = PER_TRANSACTION
  const cut = () => {
    const whole = part
    part = []
    left = PER_TRANSACTION
    return whole
  }
  // In the order of their ids: each transaction then changes its own pages of the index of ids, which are random.
  const traces = [...Map.groupBy(spans, ({ traceId }) => traceId)].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [, trace] of traces) {
    if (part.length > 0 && trace.length >= left.rowsMax) yield cut()
    left = { ...left, rowsMax: left.rowsMax - 1 }
    for (const span of trace) {
      part.push(span)
      left = { rowsMax: left.rowsMax - 1, bytesMax: left.bytesMax - contentBytes(span) }
      if (left.rowsMax <= 0 || left.bytesMax <= 0) yield cut()
    }
  }
  if (part.length > 0) yield part
}

async function rejectUnknownDatasets(
  tx: Queries,
  workspaceId: string,
  spans: PreparedSpan[],
  linker: TraceLinker,
): Promise<{ accepted: PreparedSpan[]; rejected: PreparedSpan[]; datasets: Map<string, { componentId: string }> }> {
  const named = new Set<string>()
  for (const { links } of spans) if (links.datasetId !== undefined) named.add(links.datasetId)
  if (named.size === 0) return { accepted: spans, rejected: [], datasets: new Map() }
  const datasets = await linker.findDatasets(tx, workspaceId, [...named])
  const isKnown = ({ links }: PreparedSpan) => links.datasetId === undefined || datasets.has(links.datasetId)
  return { accepted: spans.filter(isKnown), rejected: spans.filter((span) => !isKnown(span)), datasets }
}

function rejectionsOf(rejected: PreparedSpan[]): string[] {
  const ids = [...new Set(rejected.map(({ links }) => links.datasetId ?? ''))]
  return ids.slice(0, REPORTED_MAX).map((id) => `There is no dataset ${quoted(id)}; its spans were not stored`)
}

/** Exporters log the message of a partial success. Without it, a mistyped name would go unnoticed. */
function warningsOf(unknownComponents: string[]): string[] {
  return unknownComponents
    .slice(0, REPORTED_MAX)
    .map((name) => `There is no component ${quoted(name)}; its traces were stored without one`)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100).toWellFormed())
}
