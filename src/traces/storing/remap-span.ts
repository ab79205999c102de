/** Maps a stored span again, from the data that was sent. Costs stay unchanged, unless there was none. */
import type { Queries } from '../../storage/db.ts'
import type { PriceRow } from '../pricing/application-prices.ts'
import type { Pricer } from '../pricing/price-usage.ts'
import { OriginCache } from '../resource-scope-cache.ts'
import {
  buildSpanRow,
  type PreparedSpan,
  placeSpan,
  SPAN_COLUMNS,
  type StoredOrigin,
  withCost,
} from './build-span-row.ts'
import type { Origin, ReceivedEvent, ReceivedSpan } from './received-span.ts'
import type { StoredSpanRow } from './remap-queries.ts'
import { storedSpan } from './stored-span.ts'

/** The configuration for mapping the spans of a workspace. */
export type SpanMapping = { workspaceId: string; pricer: Pricer; prices: readonly PriceRow[] }

export type RemappedSpan = { prepared: PreparedSpan; isChanged: boolean }

const LINKS_INDEX = SPAN_COLUMNS.indexOf('links')
const NOTES_INDEX = SPAN_COLUMNS.indexOf('notes')

export class SpanRemapper {
  readonly #mapping: SpanMapping
  readonly #origins: OriginCache

  constructor(tx: Queries, mapping: SpanMapping) {
    this.#mapping = mapping
    this.#origins = new OriginCache(tx, mapping.workspaceId)
  }

  async load(rows: readonly StoredSpanRow[]): Promise<void> {
    await this.#origins.load(rows)
  }

  /** `events` are the current events of the span; by default, the stored ones. The origins of the rows must be loaded. */
  remap(row: StoredSpanRow, traceId: string, traceDbId: string, events?: readonly ReceivedEvent[]): RemappedSpan {
    const { workspaceId, pricer, prices } = this.#mapping
    const received = receivedSpan(row, traceId, this.#origins.get(row.origin), events)
    const originOf = (origin: Origin): StoredOrigin => storedOrigin(row.origin, origin)
    const fresh = buildSpanRow(received, { pricer, prices, originOf })
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
  origin: Origin,
  events: readonly ReceivedEvent[] | undefined,
): ReceivedSpan {
  const sent = storedSpan(row, origin)
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

/** The row of the origin stays unchanged, so only its hash and its service are needed. */
function storedOrigin(hash: string, { resource }: Origin): StoredOrigin {
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
