/**
 * Which span each value of a trace is from. Several spans may tell different sessions, users, services or links; the one that decides is
 * the root, or else the span that began first, or else the one with the smaller id. That is a total order of what a span is in
 * itself, so that it does not matter which of them arrived first.
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

/** For values that were stored before it was noted who told them: they stay. */
export const UNKNOWN_TELLER: Teller = { parentSpanId: null, startNs: -1n, spanId: '' }

export function isToldBefore(span: Teller, other: Teller | undefined): boolean {
  if (other === undefined) return true
  const isRoot = span.parentSpanId === null
  if (isRoot !== (other.parentSpanId === null)) return isRoot
  return span.startNs < other.startNs || (span.startNs === other.startNs && span.spanId < other.spanId)
}

type StoredTeller = [fields: string, place: 'root' | 'below', startNs: string, spanId: string]

/** Written once per span that tells something: mostly that is the root alone. */
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
