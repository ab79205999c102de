/** Maps a stored span again, from the data that was sent. Costs stay unchanged, unless there was none. */
import type { Queries } from '../../storage/db.ts'
import type { PriceRow } from '../pricing/application-prices.ts'
import type { Pricer } from '../pricing/price-usage.ts'
import { ResourceScopeCache } from '../resource-scope-cache.ts'
import {
  buildSpanRow,
  type PreparedSpan,
  placeSpan,
  SPAN_COLUMNS,
  type StoredResourceScope,
  withCost,
} from './build-span-row.ts'
import type { ReceivedEvent, ReceivedSpan, ResourceScope } from './received-span.ts'
import type { StoredSpanRow } from './remap-queries.ts'
import { storedSpan } from './stored-span.ts'

/** The configuration for mapping the spans of a workspace. */
export type SpanMapping = { workspaceId: string; pricer: Pricer; prices: readonly PriceRow[] }

export type RemappedSpan = { prepared: PreparedSpan; isChanged: boolean }

const LINKS_INDEX = SPAN_COLUMNS.indexOf('links')
const NOTES_INDEX = SPAN_COLUMNS.indexOf('notes')

export class SpanRemapper {
  readonly #mapping: SpanMapping
  readonly #resourceScopes: ResourceScopeCache

  constructor(tx: Queries, mapping: SpanMapping) {
    this.#mapping = mapping
    this.#resourceScopes = new ResourceScopeCache(tx, mapping.workspaceId)
  }

  async load(rows: readonly StoredSpanRow[]): Promise<void> {
    await this.#resourceScopes.load(rows)
  }

  /** `events` are the current events of the span; by default, the stored ones. The resource scopes of the rows must be loaded. */
  remap(row: StoredSpanRow, traceId: string, traceDbId: string, events?: readonly ReceivedEvent[]): RemappedSpan {
    const { workspaceId, pricer, prices } = this.#mapping
    const received = receivedSpan(row, traceId, this.#resourceScopes.get(row.resource_scope), events)
    const resourceScopeOf = (resourceScope: ResourceScope): StoredResourceScope =>
      storedResourceScope(row.resource_scope, resourceScope)
    const fresh = buildSpanRow(received, { pricer, prices, resourceScopeOf })
    const prepared = row.costBasis === null ? fresh : withCost(fresh, row.costUsd, row.costBasis)
    prepared.values[LINKS_INDEX] = row.links
    prepared.values[NOTES_INDEX] = row.notes
    placeSpan(prepared, { workspaceId, traceDbId, covered: row.covered, isOrphan: row.orphan === 1 })
    return { prepared, isChanged: isChanged(row, prepared) }
  }
}

function receivedSpan(
  row: StoredSpanRow,
  traceId: string,
  resourceScope: ResourceScope,
  events: readonly ReceivedEvent[] | undefined,
): ReceivedSpan {
  const sent = storedSpan(row, resourceScope)
  return {
    ...sent,
    events: events ?? sent.events,
    traceId,
    spanId: row.spanId,
    parentSpanId: row.parentSpanId,
    otelKind: row.otelKind,
    startNs: BigInt(row.startNs),
    endNs: row.endNs === null ? null : BigInt(row.endNs),
    // Both columns stay unchanged.
    links: [],
    notes: [],
  }
}

/** The row of the resource scope stays unchanged, so only its hash and its service are needed. */
function storedResourceScope(hash: string, { resource }: ResourceScope): StoredResourceScope {
  const service = resource.get('service.name')
  return { hash, resource: '', scope: '', service: typeof service === 'string' && service !== '' ? service : null }
}

/** Compares the columns that the mapping sets. */
function isChanged(row: StoredSpanRow, { values }: PreparedSpan): boolean {
  const stored: Partial<Record<(typeof SPAN_COLUMNS)[number], string | number | null>> = {
    name: row.name,
    sent_name: row.sentName,
    kind: row.kind,
    status: row.status,
    status_message: row.statusMessage,
    sent_status: row.sentStatus,
    sent_status_message: row.sentStatusMessage,
    model: row.model,
    provider: row.provider,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    total_tokens: row.totalTokens,
    cost_usd: row.costUsd,
    cost_basis: row.costBasis,
    input: row.input,
    input_from: row.inputFrom,
    output: row.output,
    output_from: row.outputFrom,
    events: row.events,
  }
  return SPAN_COLUMNS.some((column, place) => column in stored && stored[column] !== values[place])
}
