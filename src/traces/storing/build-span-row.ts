/** Maps and prices a span and builds the values of its row. Runs in the transaction that stores the span, as soon as it is decoded. */
import { createHash } from 'node:crypto'
import { quoteText } from '../../base/json.ts'
import type { PriceRow } from '../pricing/application-prices.ts'
import type { Pricer } from '../pricing/price-usage.ts'
import type { MappableSpan } from '../semconv/conventions/convention.ts'
import { mapSpan, requestedModelOf } from '../semconv/map-span.ts'
import { mayHoldSecret, withoutSecrets } from '../semconv/secret-headers.ts'
import type { SpanKind, SpanPrompt, TraceSource } from './mapped-span.ts'
import type { Attributes, AttributeValue, ReceivedEvent, ReceivedSpan, ResourceScope } from './received-span.ts'
import { type CallName, callNameOf } from './usage-coverage.ts'

/** Columns of `spans` in the order of `PreparedSpan.values`. The last four are known only when the span is stored. */
export const SPAN_COLUMNS = [
  'span_id',
  'parent_span_id',
  'name',
  'sent_name',
  'kind',
  'otel_kind',
  'start_ns',
  'end_ns',
  'status',
  'status_message',
  'model',
  'provider',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cost_usd',
  'cost_basis',
  'input',
  'input_from',
  'output',
  'output_from',
  'attributes',
  'events',
  'links',
  'notes',
  'resource_scope',
  'sent_status',
  'sent_status_message',
  'workspace_id',
  'trace_id',
  'covered_usage',
  'is_orphan',
] as const

const WORKSPACE_INDEX = SPAN_COLUMNS.indexOf('workspace_id')
const COST_INDEX = SPAN_COLUMNS.indexOf('cost_usd')
const INPUT_INDEX = SPAN_COLUMNS.indexOf('input')
const OUTPUT_INDEX = SPAN_COLUMNS.indexOf('output')

export type StoredValue = string | number | bigint | null

/** The columns that may be large: added to the quota when a span is stored, and subtracted when it is deleted. */
export const CONTENT_COLUMNS = ['input', 'output', 'attributes', 'events', 'links', 'notes'] as const

const CONTENT_INDEXES = CONTENT_COLUMNS.map((column) => SPAN_COLUMNS.indexOf(column))

export function contentBytes({ values }: PreparedSpan): number {
  let bytes = 0
  for (const place of CONTENT_INDEXES) bytes += bytesOf(values[place])
  return bytes
}

/** The same for a stored row. */
export function storedContentBytes(row: Readonly<Record<(typeof CONTENT_COLUMNS)[number], string | null>>): number {
  let bytes = 0
  for (const column of CONTENT_COLUMNS) bytes += bytesOf(row[column])
  return bytes
}

function bytesOf(value: StoredValue | undefined): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0
}

export type PreparedSpan = {
  /** The trace id of the sender. */
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: SpanKind
  startNs: bigint
  endNs: bigint | null
  status: 'unset' | 'ok' | 'error'
  model: string | null
  provider: string | null
  totalTokens: number | null
  costUsd: number | null
  costBasis: string | null
  /** The model call that the span reports, if it can be identified. */
  call: CallName | null
  hasInput: boolean
  hasOutput: boolean
  traceName: string | null
  sessionId: string | null
  userId: string | null
  service: string | null
  environment: string | null
  tags: string[]
  links: ReturnType<typeof mapSpan>['links']
  source: TraceSource | null
  prompt: SpanPrompt | null
  resourceScope: StoredResourceScope
  values: StoredValue[]
}

export type StoredResourceScope = { hash: string; resource: string; scope: string; service: string | null }

export type Preparing = {
  pricer: Pricer
  prices: readonly PriceRow[]
  resourceScopeOf(resourceScope: ResourceScope): StoredResourceScope
}

export function buildSpanRow(span: ReceivedSpan, { pricer, prices, resourceScopeOf }: Preparing): PreparedSpan {
  const mapped = mapSpan(span)
  const { usage, input, output } = mapped
  const cost = costOf(span, mapped, { pricer, prices, atNs: span.startNs })
  const resourceScope = resourceScopeOf(span.resourceScope)
  const totalTokens = usage?.total ?? null
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: mapped.name,
    kind: mapped.kind,
    startNs: span.startNs,
    endNs: span.endNs,
    status: mapped.status,
    model: mapped.model,
    provider: mapped.provider,
    totalTokens,
    costUsd: cost?.costUsd ?? null,
    costBasis: cost?.basis ?? null,
    call: usage === null && cost === null ? null : callNameOf(span),
    hasInput: input !== null,
    hasOutput: output !== null,
    traceName: mapped.traceName,
    sessionId: mapped.sessionId,
    userId: mapped.userId,
    service: resourceScope.service,
    environment: mapped.environment,
    tags: mapped.tags,
    links: mapped.links,
    source: mapped.source,
    prompt: mapped.prompt,
    resourceScope,
    values: [
      span.spanId,
      span.parentSpanId,
      mapped.name,
      mapped.name === span.name ? null : span.name,
      mapped.kind,
      span.otelKind,
      span.startNs,
      span.endNs,
      mapped.status,
      mapped.statusMessage,
      mapped.model,
      mapped.provider,
      usage?.input ?? null,
      usage?.output ?? null,
      totalTokens,
      cost?.costUsd ?? null,
      cost?.basis ?? null,
      input?.text ?? null,
      input?.key ?? null,
      output?.text ?? null,
      output?.key ?? null,
      attributesJson(span.attributes, input?.key, output?.key),
      span.events.length === 0 ? null : eventsJson(span.events),
      span.links.length === 0 ? null : linksJson(span.links),
      span.notes.length === 0 ? null : JSON.stringify(span.notes),
      resourceScope.hash,
      mapped.status === span.status ? null : span.status,
      (mapped.statusMessage ?? '') === span.statusMessage ? null : span.statusMessage,
      // Known only when the span is stored.
      '',
      '',
      0,
      0,
    ],
  }
}

/** Sets the columns that depend on the stored trace. */
export function placeSpan(
  { values }: PreparedSpan,
  place: { workspaceId: string; traceDbId: string; covered: number; isOrphan: boolean },
): StoredValue[] {
  values[WORKSPACE_INDEX] = place.workspaceId
  values[WORKSPACE_INDEX + 1] = place.traceDbId
  values[WORKSPACE_INDEX + 2] = place.covered
  values[WORKSPACE_INDEX + 3] = place.isOrphan ? 1 : 0
  return values
}

/** Replaces the cost from current prices with another cost. */
export function withCost(span: PreparedSpan, costUsd: number | null, basis: string): PreparedSpan {
  span.values[COST_INDEX] = costUsd
  span.values[COST_INDEX + 1] = basis
  return { ...span, costUsd, costBasis: basis }
}

/** The content of a span. Its values must not have been removed. */
export function textsOfSpan({ kind, values }: PreparedSpan) {
  return { kind, input: textOrNull(values[INPUT_INDEX]), output: textOrNull(values[OUTPUT_INDEX]) }
}

function textOrNull(value: StoredValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

type Costed = Pick<ReturnType<typeof mapSpan>, 'reportedCostUsd' | 'usage' | 'model' | 'provider'>

/**
 * The cost that the sender reports wins, then the application's prices, then the built-in prices; else unknown. Senders that know no
 * price report 0 for a call with tokens, so that a price wins over it. A deployment that responds with a name of its own costs as much
 * as the requested model.
 */
export function costOf(
  span: MappableSpan,
  { reportedCostUsd, usage, model, provider }: Costed,
  { pricer, prices, atNs }: { pricer: Pricer; prices: readonly PriceRow[]; atNs: bigint },
): { costUsd: number; basis: string } | null {
  const reported = reportedCostUsd === null ? null : { costUsd: reportedCostUsd, basis: 'reported' }
  if (usage === null || model === null || (reported !== null && (reported.costUsd > 0 || !usage.total))) return reported
  const call = { provider, usage, at: Number(atNs / 1_000_000n), prices }
  return pricer.price({ ...call, model }) ?? pricer.price({ ...call, model: requestedModelOf(span) }) ?? reported
}

/** JSON-encoded keys: instrumentations reuse the same few hundred keys. */
const knownKeys = new Map<string, { json: string; isSecret: boolean }>()
const KEYS_KEPT_MAX = 5_000

/**
 * Writes attributes as a JSON object, entry by entry, because a plain object would lose a key such as `__proto__`. Excludes the
 * attributes that have their own column.
 */
export function attributesJson(attributes: Attributes, without?: string | null, alsoWithout?: string | null): string {
  let json = ''
  for (const [key, value] of attributes) {
    if (key === without || key === alsoWithout) continue
    let known = knownKeys.get(key)
    if (known === undefined) {
      known = { json: `${JSON.stringify(key)}:`, isSecret: mayHoldSecret(key) }
      if (knownKeys.size < KEYS_KEPT_MAX && key.length < 200) knownKeys.set(key, known)
    }
    json += json === '' ? known.json : `,${known.json}`
    if (known.isSecret) json += JSON.stringify(withoutSecrets(key, value))
    else if (typeof value === 'string') json += quoteText(value)
    else json += typeof value === 'number' ? String(value) : JSON.stringify(value)
  }
  return `{${json}}`
}

export function eventsJson(events: readonly ReceivedEvent[]): string {
  return `[${events.map(eventJson).join(',')}]`
}

export function eventJson({ timeNs, name, attributes }: ReceivedEvent): string {
  return `{"timeNs":"${timeNs}","name":${JSON.stringify(name)},"attributes":${attributesJson(attributes)}}`
}

function linksJson(links: ReceivedSpan['links']): string {
  const written = links.map(
    ({ traceId, spanId, attributes }) =>
      `{"traceId":${JSON.stringify(traceId)},"spanId":${JSON.stringify(spanId)},"attributes":${attributesJson(attributes)}}`,
  )
  return `[${written.join(',')}]`
}

/** Parses the output of the functions above. */
export function readAttributes(json: string): Map<string, AttributeValue> {
  const stored: Record<string, AttributeValue> = JSON.parse(json)
  const attributes = new Map<string, AttributeValue>()
  // Not `Object.entries`, whose pairs cost more than the rest of the loop. Parsed JSON has only own properties.
  for (const key of Object.keys(stored)) attributes.set(key, stored[key] ?? null)
  return attributes
}

/** The spans of a batch share their resource scope, so each is serialized and hashed once. */
export function resourceScopeWriter(): (resourceScope: ResourceScope) => StoredResourceScope {
  const known = new Map<ResourceScope, StoredResourceScope>()
  return (resourceScope) => {
    const found = known.get(resourceScope)
    if (found) return found
    const resource = attributesJson(resourceScope.resource)
    const { scopeName: name, scopeVersion: version } = resourceScope
    const scope = `{"name":${JSON.stringify(name)},"version":${JSON.stringify(version)},"attributes":${attributesJson(resourceScope.scopeAttributes)}}`
    const hash = createHash('sha256').update(resource).update('\n').update(scope).digest('base64url').slice(0, 22)
    const service = resourceScope.resource.get('service.name')
    const stored = { hash, resource, scope, service: typeof service === 'string' && service !== '' ? service : null }
    known.set(resourceScope, stored)
    return stored
  }
}
