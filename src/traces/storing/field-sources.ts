/**
 * Which span each value of a trace comes from. Spans may report different sessions, users, services or links. The root wins, then the
 * span that started first, then the one with the smaller id. This total order depends only on the spans, so the order of arrival does not
 * matter.
 */
export type FieldSource = { parentSpanId: string | null; startNs: bigint; spanId: string }

const LETTERS = {
  name: 'n',
  service: 's',
  environment: 'e',
  sessionId: 'i',
  userId: 'u',
  component: 'c',
  dataset: 'd',
  run: 'r',
  datasetId: 'D',
  itemId: 'I',
  source: 'S',
} as const

export type SourcedField = keyof typeof LETTERS

export const SOURCED_FIELDS: readonly SourcedField[] = [
  'name',
  'service',
  'environment',
  'sessionId',
  'userId',
  'component',
  'dataset',
  'run',
  'datasetId',
  'itemId',
  'source',
]

export type FieldSources = Partial<Record<SourcedField, FieldSource>>

/** For values that were stored before their source span was recorded. They are never replaced. */
export const UNKNOWN_SOURCE: FieldSource = { parentSpanId: null, startNs: -1n, spanId: '' }

export function takesPrecedence(span: FieldSource, other: FieldSource | undefined): boolean {
  if (other === undefined) return true
  const isRoot = span.parentSpanId === null
  if (isRoot !== (other.parentSpanId === null)) return isRoot
  return span.startNs < other.startNs || (span.startNs === other.startNs && span.spanId < other.spanId)
}

type StoredSource = [fields: string, place: 'root' | 'below', startNs: string, spanId: string]

/** Grouped by span: usually the root alone is the source. */
export function writeFieldSources(sources: FieldSources): string {
  const spans = new Map<string, StoredSource>()
  for (const field of SOURCED_FIELDS) {
    const source = sources[field]
    if (source === undefined) continue
    const { parentSpanId, startNs, spanId } = source
    const known = spans.get(spanId)
    if (known) known[0] += LETTERS[field]
    else spans.set(spanId, [LETTERS[field], parentSpanId === null ? 'root' : 'below', String(startNs), spanId])
  }
  return JSON.stringify([...spans.values()])
}

export function readFieldSources(json: string): FieldSources {
  const spans: StoredSource[] = JSON.parse(json)
  const sources: FieldSources = {}
  for (const [fields, place, startNs, spanId] of spans) {
    const source = { parentSpanId: place === 'root' ? null : '', startNs: BigInt(startNs), spanId }
    for (const field of SOURCED_FIELDS) if (fields.includes(LETTERS[field])) sources[field] = source
  }
  return sources
}
