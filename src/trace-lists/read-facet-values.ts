/**
 * Values of the fields of the query language with numbers of traces, for suggestions and for filters next to a list. The work is bounded
 * for any number of traces: numbers come from the rollups, from the index of facets up to a limit, or, with a filter, from the newest
 * matches, which are read once for all fields.
 */
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { foldText } from '../storage/dialect.ts'
import { isCoveredByRollups } from '../traces/query/matching-trace-queries.ts'
import { plainFilter } from '../traces/query/plain-filter.ts'
import { findField } from '../traces/query/query-fields.ts'
import { readPrompts } from '../traces/storing/trace-prompts.ts'
import type { TraceFilter } from '../traces/trace-filter.ts'
import { planSearch, walkOf } from '../traces/trace-list-queries.ts'
import {
  countFacetValues,
  countRolledUpValues,
  countValuesWithin,
  listAttributes,
  listEvaluatorNames,
  listFacetValues,
  listNewestRatings,
  listNewestTraceRatings,
  listSampledTraces,
  listSpanValues,
  type RolledUpField,
} from './facet-value-queries.ts'
import type { SuggestedField } from './facet-value-schemas.ts'

const VALUES_MAX = 50
/** With more distinct values than this, those of the newest traces are suggested. */
const DISTINCT_MAX = 200
const COUNTED_MAX = 1_000
/** If the values of several fields are shown: as few values are counted further, because "1,000 or more" of each says nothing. */
const COUNTED_OF_FEW_MAX = 10_000
const FEW_VALUES = 20
const SAMPLED_TRACES = 1_000
const SAMPLED_FOR_GROUPS = 10_000
const SAMPLED_SPANS = 10_000
const METADATA_TRACES = 50
const METADATA_SPANS = 1_000
const RATINGS_MAX = 10_000
const EVALUATIONS_MAX = 50
const SCORES_EACH = 50

type Value = { value: string; count: number | null; isExact: boolean }
/** `isComplete` is false if there may be more values. */
type Values = { values: Value[]; isComplete: boolean }

export type FacetsRequest = { field: SuggestedField; prefix: string; filter: TraceFilter }

export async function readFacetValues(
  { db, signal }: Pick<Context, 'db' | 'signal'>,
  workspaceId: string,
  { field, prefix, filter }: FacetsRequest,
) {
  const q = db.search({ application: workspaceId, signal, from: 'request' })
  const scope = scopeOf(q, workspaceId, filter, { sampled: SAMPLED_TRACES, countedOfFew: COUNTED_MAX })
  const { values, isComplete } = mostFrequent(await findValues(scope, field, prefix), prefix)
  return { data: values, isComplete }
}

export type FacetGroupsRequest = { fields: readonly SuggestedField[]; filter: TraceFilter }

/** The values of several fields. */
export async function readFacetGroups(
  { db, signal }: Pick<Context, 'db' | 'signal'>,
  workspaceId: string,
  { fields, filter }: FacetGroupsRequest,
) {
  const q = db.search({ application: workspaceId, signal, from: 'request' })
  const scope = scopeOf(q, workspaceId, filter, { sampled: SAMPLED_FOR_GROUPS, countedOfFew: COUNTED_OF_FEW_MAX })
  const data: ({ field: SuggestedField } & Values)[] = []
  for (const field of fields) data.push({ field, ...mostFrequent(await findValues(scope, field, ''), '') })
  return { data }
}

function mostFrequent({ values, isComplete }: Values, prefix: string): Values {
  const start = foldText(prefix)
  const matching = values.filter(({ value }) => value !== '' && foldText(value).startsWith(start))
  const sorted = matching.sort((a, b) => (b.count ?? 0) - (a.count ?? 0) || (a.value < b.value ? -1 : 1))
  return { values: sorted.slice(0, VALUES_MAX), isComplete: isComplete && sorted.length <= VALUES_MAX }
}

type FacetScope = {
  q: Queries
  workspaceId: string
  filter: TraceFilter
  /** How far the traces of each of a few values are counted. */
  countedOfFew: number
  /** The newest matches. */
  sample: () => Promise<{ traces: readonly SampledTrace[]; isWhole: boolean }>
}

function scopeOf(
  q: Queries,
  workspaceId: string,
  filter: TraceFilter,
  { sampled, countedOfFew }: { sampled: number; countedOfFew: number },
): FacetScope {
  let found: ReturnType<typeof readSample> | undefined
  const sample = () => {
    found ??= readSample({ q, workspaceId, filter }, sampled)
    return found
  }
  return { q, workspaceId, filter, countedOfFew, sample }
}

function findValues(scope: FacetScope, field: SuggestedField, prefix: string): Promise<Values> {
  const isFiltered = Object.keys(scope.filter).length > 0
  switch (field) {
    case 'has':
      return Promise.resolve(uncounted(findField('has')?.field.words ?? []))
    case 'score':
      return findEvaluators(scope)
    case 'metadata':
      return findMetadataKeys(scope)
    case 'rating':
      return findRatings(scope, isFiltered)
    case 'status':
    case 'service':
    case 'environment':
    case 'source':
    case 'component':
      return isCoveredByRollups(plainFilter(scope.filter)) ? findRolledUp(scope, field) : findInSample(scope, field)
    default:
      return isFiltered ? findInSample(scope, field) : findStored(scope, field, prefix)
  }
}

function uncounted(names: readonly string[]): Values {
  return { values: names.map((value) => ({ value, count: null, isExact: true })), isComplete: true }
}

async function findEvaluators({ q, workspaceId }: FacetScope): Promise<Values> {
  const names = await listEvaluatorNames(q, workspaceId, { evaluations: EVALUATIONS_MAX, scoresEach: SCORES_EACH })
  return { ...uncounted(names), isComplete: false }
}

async function findRolledUp({ q, workspaceId, filter }: FacetScope, field: RolledUpField): Promise<Values> {
  const plain = plainFilter(filter)
  const isLimited = plain.startAfter !== undefined || plain.startBefore !== undefined
  const counted = isLimited
    ? await countValuesWithin(q, workspaceId, plain, field)
    : await countRolledUpValues(q, workspaceId, plain, field)
  const values = counted.filter(({ count }) => count > 0).map((value) => ({ ...value, isExact: true }))
  return { values, isComplete: true }
}

/** Few distinct values are all counted. Of many, those with the prefix, or without one those of the newest traces. */
async function findStored(scope: FacetScope, facet: SampledField, prefix: string): Promise<Values> {
  const { q, workspaceId } = scope
  const all = await listFacetValues(q, { workspaceId, facet }, { from: '', limit: DISTINCT_MAX + 1 })
  const isComplete = all.length <= DISTINCT_MAX
  const values = isComplete ? all : await someOf(scope, facet, prefix)
  const limit = values.length <= FEW_VALUES ? scope.countedOfFew : COUNTED_MAX
  const counted = await countFacetValues(q, { workspaceId, facet }, { values, limit })
  return { values: counted.map(({ value, count }) => ({ value, count, isExact: count < limit })), isComplete }
}

async function someOf(scope: FacetScope, facet: SampledField, prefix: string): Promise<string[]> {
  const { q, workspaceId } = scope
  const limit = DISTINCT_MAX
  if (prefix !== '') return listFacetValues(q, { workspaceId, facet }, { from: prefix, limit })
  return (await findInSample(scope, facet)).values.slice(0, limit).map(({ value }) => value)
}

type SampledField = Exclude<SuggestedField, 'has' | 'score' | 'metadata' | 'rating'>

async function readSample({ q, workspaceId, filter }: Pick<FacetScope, 'q' | 'workspaceId' | 'filter'>, limit: number) {
  const { plan, searchedSince, ...search } = await planSearch(q, workspaceId, filter)
  const walk = await walkOf(q, workspaceId, search.filter)
  const traces = await listSampledTraces(q, workspaceId, { ...search, plan: { ...plan, walk }, limit })
  return { traces, isWhole: traces.length < limit && searchedSince === undefined }
}

type SampledTrace = Awaited<ReturnType<typeof readSample>>['traces'][number]

/** The values of the newest matches, with the number of these traces. */
async function findInSample(scope: FacetScope, field: SampledField): Promise<Values> {
  const found = await scope.sample()
  if (field !== 'kind' && field !== 'name' && field !== 'model' && field !== 'provider')
    return tally(
      found.traces.flatMap((trace) => valuesOf(trace, field)),
      found.isWhole,
    )
  // Most traces are stored with their models, so that only the spans of the others are read.
  const unknown = field === 'model' ? found.traces.filter(({ models }) => models === null) : found.traces
  const read = withinSpans(unknown)
  const ofSpans = await listSpanValues(scope.q, scope.workspaceId, { traceDbIds: read.map(({ id }) => id), field })
  const stored = field === 'model' ? found.traces.flatMap(({ models }) => storedModels(models)) : []
  const values = [...stored, ...ofSpans.flatMap(({ value }) => value ?? [])]
  return tally(values, found.isWhole && read.length === unknown.length)
}

function storedModels(summary: string | null): string[] {
  if (summary === null) return []
  const { models }: { models?: string[] } = JSON.parse(summary)
  return models ?? []
}

/** The first traces whose spans are few enough to read. */
function withinSpans(traces: readonly SampledTrace[]): SampledTrace[] {
  let spans = 0
  return traces.filter(({ spanCount }) => {
    spans += spanCount
    return spans <= SAMPLED_SPANS
  })
}

function valuesOf(trace: SampledTrace, field: Exclude<SampledField, 'kind' | 'name' | 'model' | 'provider'>): string[] {
  if (field === 'tag') return JSON.parse(trace.tags)
  if (field === 'prompt') return [...new Set(readPrompts(trace.prompts).map(({ name }) => name))]
  if (field === 'source') return [trace.source ?? 'production']
  const value = trace[field]
  return value === null ? [] : [value]
}

function tally(values: readonly string[], isWhole: boolean): Values {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return { values: [...counts].map(([value, count]) => ({ value, count, isExact: isWhole })), isComplete: isWhole }
}

async function findRatings(scope: FacetScope, isFiltered: boolean): Promise<Values> {
  const found = isFiltered ? await scope.sample() : undefined
  const within = { traceIds: found?.traces.map(({ traceId }) => traceId), limit: RATINGS_MAX }
  const inRuns = await listNewestRatings(scope.q, scope.workspaceId, within)
  const ofTraces = await listNewestTraceRatings(scope.q, scope.workspaceId, within)
  const ratings = [...inRuns, ...ofTraces]
  // Several users may give a trace the same rating.
  const distinct = new Map(ratings.map(({ traceId, rating }) => [JSON.stringify([traceId, rating]), rating]))
  const isWhole = inRuns.length < RATINGS_MAX && ofTraces.length < RATINGS_MAX && (found?.isWhole ?? true)
  return tally([...distinct.values()], isWhole)
}

async function findMetadataKeys(scope: FacetScope): Promise<Values> {
  const { traces, isWhole } = await readSample(scope, METADATA_TRACES)
  const traceDbIds = traces.map(({ id }) => id)
  const rows = await listAttributes(scope.q, scope.workspaceId, { traceDbIds, limit: METADATA_SPANS })
  const keysOfTraces = new Map<string, Set<string>>()
  for (const { traceDbId, attributes, resource } of rows) {
    const keys = keysOfTraces.get(traceDbId) ?? new Set()
    for (const json of [attributes, resource ?? '{}']) for (const key of Object.keys(JSON.parse(json))) keys.add(key)
    keysOfTraces.set(traceDbId, keys)
  }
  return tally(
    [...keysOfTraces.values()].flatMap((keys) => [...keys]),
    isWhole && rows.length < METADATA_SPANS,
  )
}
