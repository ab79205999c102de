/**
 * Which span each value of a trace comes from. Spans may report different sessions, users, services or links. The root wins, then the
 * span that started first, then the one with the smaller id. This total order depends only on the spans, so the order of arrival does not
 * matter.
 */
export type Teller = { parentSpanId: string | null; startNs: bigint; spanId: string }

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
} as const

export type ToldField = keyof typeof LETTERS

export const TOLD_FIELDS: readonly ToldField[] = [
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
]

export type Tellers = Partial<Record<ToldField, Teller>>

/** For values that were stored before their source span was recorded. They are never replaced. */
export const UNKNOWN_TELLER: Teller = { parentSpanId: null, startNs: -1n, spanId: '' }

export function isToldBefore(span: Teller, other: Teller | undefined): boolean {
  if (other === undefined) return true
  const isRoot = span.parentSpanId === null
  if (isRoot !== (other.parentSpanId === null)) return isRoot
  return span.startNs < other.startNs || (span.startNs === other.startNs && span.spanId < other.spanId)
}

type StoredTeller = [fields: string, place: 'root' | 'below', startNs: string, spanId: string]

/** Grouped by span: usually the root alone is the source. */
export function writeTellers(tellers: Tellers): string {
  const spans = new Map<string, StoredTeller>()
  for (const field of TOLD_FIELDS) {
    const teller = tellers[field]
    if (teller === undefined) continue
    const { parentSpanId, startNs, spanId } = teller
    const known = spans.get(spanId)
    if (known) known[0] += LETTERS[field]
    else spans.set(spanId, [LETTERS[field], parentSpanId === null ? 'root' : 'below', String(startNs), spanId])
  }
  return JSON.stringify([...spans.values()])
}

export function readTellers(json: string): Tellers {
  const spans: StoredTeller[] = JSON.parse(json)
  const tellers: Tellers = {}
  for (const [fields, place, startNs, spanId] of spans) {
    const teller = { parentSpanId: place === 'root' ? null : '', startNs: BigInt(startNs), spanId }
    for (const field of TOLD_FIELDS) if (fields.includes(LETTERS[field])) tellers[field] = teller
  }
  return tellers
}
