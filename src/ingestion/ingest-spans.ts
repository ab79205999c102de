/**
 * Stores spans from any protocol.
 *
 * When it is the request's turn to write, each span is mapped, priced and converted to a row as it is read. One transaction then stores
 * all rows, the state of their traces, facets, rollups and links. The promise resolves when the data is on disk and readable. If the
 * transaction fails, nothing of the request is stored and the sender is asked to retry.
 */
import { type Clock, timestamp } from '../base/clock.ts'
import { notFound, unauthorized } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import { lockComponent } from '../components/component-queries.ts'
import type { Db, Queries } from '../storage/db.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import { createPricer } from '../traces/pricing/price-usage.ts'
import { buildSpanRow, type PreparedSpan, resourceScopeWriter } from '../traces/storing/build-span-row.ts'
import type { ReadSpans } from '../traces/storing/received-span.ts'
import { insertResourceScopes } from '../traces/storing/resource-scope-queries.ts'
import { storeSpans } from '../traces/storing/store-spans.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { lockWorkspaceShared } from '../workspaces/workspace-queries.ts'
import type { TraceLinker } from './link-arrived-traces.ts'
import { joinPendingEvents, joinWaitingEvents } from './pending-events.ts'

const RESOURCE_SCOPES_KEPT_MAX = 10_000
const REPORTED_MAX = 5

export type IngestDeps = { db: Db; clock: Clock; newId: NewId; linker: TraceLinker; quotas: Quotas }

type Ingested = { rejectedCount: number; problems: string[]; traces: IngestedTrace[] }

/** A trace that received spans. */
type IngestedTrace = { id: string; traceId: string; isNew: boolean }

type IngestTarget = {
  workspaceId: string
  componentId?: string | undefined
  /** An open transaction to join. By default, the spans are stored in a new transaction. */
  within?: Db | undefined
}

export type Ingest = (to: IngestTarget, read: ReadSpans) => Promise<Ingested>

export function createIngest({ db, clock, newId, linker, quotas }: IngestDeps): Ingest {
  const pricer = createPricer()
  const knownResourceScopes = new Set<string>()

  type Prices = Awaited<ReturnType<typeof listAllPrices>>

  async function store(
    tx: Queries,
    { workspaceId, componentId }: IngestTarget,
    { spans, prices }: { spans: PreparedSpan[]; prices: Prices },
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
    const stored = await storeSpans(tx, newId, { workspaceId, componentId, datasets, spans: accepted })
    const joining = { workspaceId, traces: stored.traces, linker, pricer, prices, rollups: stored.rollups }
    const traces = await joinPendingEvents(tx, joining)
    await linker.linkTraces(tx, workspaceId, traces)
    await stored.rollups.write(tx, workspaceId)
    const bytes = stored.added.bytes + stored.rollups.storedBytes
    if (stored.added.spans > 0) await quotas.countSpans(tx, workspaceId, { spans: stored.added.spans, bytes })
    const traceIds = [...new Set(accepted.map(({ traceId }) => traceId))]
    return { ...stored, traceIds, rejected, newResourceScopes: unknownResourceScopes.map(({ hash }) => nameOf(hash)) }
  }

  return async (to, read) => {
    const { workspaceId, within = db } = to
    quotas.assertSpansLeft(workspaceId)
    const prices = await listAllPrices(db.read, workspaceId)
    const outcome = await within.transaction(async (tx) => {
      const preparing = { pricer, prices, resourceScopeOf: resourceScopeWriter() }
      const { spans, ...received } = await read((span) => buildSpanRow(span, preparing))
      return spans.length === 0 ? { received } : { received, stored: await store(tx, to, { spans, prices }) }
    })
    const { received, stored } = outcome
    if (!stored) return { ...received, traces: [] }
    // A caller with an open transaction has not committed yet. Such callers send traces as JSON, which have no separate events.
    if (within === db) await joinWaitingEvents(db, { workspaceId, traceIds: stored.traceIds, linker, pricer })

    // Only after the commit: resource scopes that were rolled back must be written again.
    if (knownResourceScopes.size > RESOURCE_SCOPES_KEPT_MAX) knownResourceScopes.clear()
    for (const name of within === db ? stored.newResourceScopes : []) knownResourceScopes.add(name)
    return {
      rejectedCount: received.rejectedCount + stored.rejected.length,
      problems: [...received.problems, ...rejectionsOf(stored.rejected), ...warningsOf(stored.unknownComponents)],
      traces: stored.traces.map(({ id, traceId, before }) => ({ id, traceId, isNew: before === undefined })),
    }
  }
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
