import { cutFacet, FACET_LENGTH_MAX } from '../storing/cut-facet.ts'
import { TRACE_SOURCES, type TraceSource } from '../storing/mapped-span.ts'
import { facetValue } from './compile-term.ts'
import type { Condition } from './condition.ts'

/**
 * The filters of a list of traces without the query language. Times are in nanoseconds; `startAfter` is inclusive,
 * `startBefore` is exclusive.
 */
export type FilterFields = {
  status?: 'ok' | 'error'
  startAfter?: bigint
  startBefore?: bigint
  componentId?: string
  service?: string
  environment?: string
  sessionId?: string
  userId?: string
}

/** A filter with a list of conditions that must all match, without those that have a field of their own. */
export type PlainFilter = FilterFields & { parts: readonly Condition[]; source?: TraceSource | undefined }

export function plainFilter({ condition, ...fields }: FilterFields & { condition?: Condition }): PlainFilter {
  const plain: PlainFilter = { ...fields, parts: [] }
  if (!condition) return plain
  const all = condition.type === 'and' ? condition.parts : [condition]
  const parts = all.filter((part) => !absorb(plain, part))
  return { ...plain, parts }
}

/** `q=status:error` equals `status=error` and must be searched and counted in the same way. */
function absorb(plain: PlainFilter, part: Condition): boolean {
  if (part.type !== 'term') return false
  const { field, test } = part.term
  if (field === 'start' && test.is === 'nanoseconds') {
    const { from, until } = test.range
    if (from !== undefined) plain.startAfter = later(plain.startAfter, from)
    if (until !== undefined) plain.startBefore = earlier(plain.startBefore, until)
    return true
  }
  if (field === 'status' && test.is === 'word' && plain.status === undefined) {
    plain.status = test.word === 'error' ? 'error' : 'ok'
    return true
  }
  if (field === 'source' && test.is === 'word' && plain.source === undefined) {
    plain.source = TRACE_SOURCES.find((source) => source === test.word)
    return plain.source !== undefined
  }
  if (field !== 'service' && field !== 'environment') return false
  const value = facetValue(test)
  // Facet values are truncated, the columns of the trace are not: only shorter values are equal in both.
  if (value === undefined || value.length >= FACET_LENGTH_MAX || plain[field] !== undefined) return false
  plain[field] = value
  return true
}

export function later(a: bigint | undefined, b: bigint): bigint {
  return a !== undefined && a > b ? a : b
}

function earlier(a: bigint | undefined, b: bigint): bigint {
  return a !== undefined && a < b ? a : b
}

/** `isRare` if a value usually matches few traces. */
export type Facet = { name: string; value: string; isRare: boolean }

/** From rare to common, as a heuristic. A component has an index of its own. */
const RARE = ['session', 'user', 'tag']
const RAREST_FIRST = [
  ...RARE,
  'prompt',
  'source',
  'name',
  'model',
  'component',
  'service',
  'provider',
  'environment',
  'kind',
]

/** Chooses the facet value to scan by, if any, and returns the remaining conditions. */
export function chooseFacet(plain: PlainFilter): { facet?: Facet; rest: readonly Condition[] } {
  const { parts, componentId } = plain
  if (hasIdCondition(plain)) return { rest: parts }
  const fieldValues = new Map([
    ['session', plain.sessionId],
    ['user', plain.userId],
    ['service', plain.service],
    ['environment', plain.environment],
    // Production has no facet.
    ['source', plain.source === 'production' ? undefined : plain.source],
  ])
  for (const name of RAREST_FIRST) {
    if (name === 'component' && componentId !== undefined) return { rest: parts }
    const isRare = RARE.includes(name)
    const value = fieldValues.get(name)
    if (value !== undefined) return { facet: { name, value: cutFacet(value), isRare }, rest: parts }
    const part = parts.find((other) => requiredFacetValue(other, name) !== undefined)
    const required = part && requiredFacetValue(part, name)
    if (required === undefined) continue
    return { facet: { name, value: required, isRare }, rest: parts.filter((other) => other !== part) }
  }
  return { rest: parts }
}

/** True if the filter contains a trace id, internal or OpenTelemetry. */
export function hasIdCondition({ parts }: PlainFilter): boolean {
  return parts.some((part) => part.type === 'term' && (part.term.field === 'id' || part.term.field === 'trace'))
}

/** A component has no facet: its name is resolved when the query runs, so it stays a condition. Nor has production. */
function requiredFacetValue(part: Condition, facet: string): string | undefined {
  if (part.type !== 'term' || part.term.field !== facet || facet === 'component' || facet === 'source') return undefined
  return facetValue(part.term.test)
}
