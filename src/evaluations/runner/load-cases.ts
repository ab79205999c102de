/** Puts together what evaluators see of cases, reading only what any of them needs, and holding only some of them at a time. */

import { readRatingScheme } from '../../annotations/rating-scheme-queries.ts'
import { chunksOf } from '../../base/event-loop.ts'
import type { Case, Need } from '../../evaluators/evaluator.ts'
import { DEFAULT_SCHEME, isGoodRating } from '../../evaluators/rating-scheme.ts'
import { findItemsByInputs } from '../../runs/items-by-question.ts'
import type { CaseKey } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { earlierTurnsIn } from '../../traces/semconv/question-and-answer.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import type { CaseAnalysis } from '../results/analyze-cases.ts'
import { type CaseSource, listItemTexts, listLinkedItems, listRatings } from './case-queries.ts'
import { type CaseTraceRead, readTraces } from './read-case-traces.ts'

export type LoadedCase = Case & {
  /** The item of the dataset that it was made for; null if none is known. */
  itemId: string | null
  /** A trace is named, and has not arrived. */
  isTraceMissing: boolean
}

type Loading = {
  source: CaseSource
  needs: ReadonlySet<Need>
  /** By item, the trace of the run to compare with; empty unless somebody needs it. */
  baselineRefs: ReadonlyMap<string, string>
  /** Is shown all traces on the way. */
  analysis?: CaseAnalysis | undefined
}

/** What is known of cases before any of their texts is read. */
type Known = {
  /** By case, the item that it was made for, as far as the link says so. */
  items: ReadonlyMap<string, string>
  /** By trace, what people said of it; empty unless somebody needs it. */
  ratings: ReadonlyMap<string, readonly string[]>
  isGoodRating(rating: string): boolean | undefined
}

/** What has no trace is of unknown size: few at a time. */
const TRACELESS_AT_ONCE = 10

/** By the names of the cases, all of them, in portions that are bounded in what they hold. */
export async function* loadCases(
  q: Queries,
  loading: Loading,
  keys: readonly CaseKey[],
): AsyncGenerator<Map<string, LoadedCase>> {
  const byTrace = Map.groupBy(keys, ({ traceRef }) => traceRef)
  const refs = [...byTrace.keys()].filter((ref) => ref !== null)
  const left = new Set(keys)
  const { source, needs, analysis } = loading
  const scheme = needs.has('ratings') ? await readRatingScheme(q, source.workspaceId) : DEFAULT_SCHEME
  const known: Known = {
    isGoodRating: (rating) => isGoodRating(scheme, rating),
    items: await knownItems(q, source, keys),
    ratings: needs.has('ratings') || analysis ? await listRatings(q, source, refs) : new Map(),
  }
  // Only judges read what was said before.
  const wanted = { steps: needs.has('steps'), facts: analysis !== undefined, conversation: needs.has('model') }
  for await (const read of readTraces(q, source.workspaceId, refs, wanted)) {
    analysis?.add(read, known.ratings)
    const traces = new Map(read.flatMap(({ refs, trace }) => refs.map((ref) => [ref, trace] as const)))
    const found = [...traces.keys()].flatMap((ref) => byTrace.get(ref) ?? [])
    for (const key of found) left.delete(key)
    yield loadPortion(q, loading, { ...known, keys: found, traces })
  }
  for (const some of chunksOf([...left], TRACELESS_AT_ONCE)) {
    yield loadPortion(q, loading, { ...known, keys: some, traces: new Map() })
  }
}

async function loadPortion(
  q: Queries,
  { source, needs, baselineRefs }: Loading,
  found: Found,
): Promise<Map<string, LoadedCase>> {
  const { workspaceId } = source
  const { keys, traces, ratings, isGoodRating } = found
  const itemIds = await itemsOf(q, source, found)
  const items = await listItemTexts(q, source, [...itemIds.values()])
  const baselines = await baselineOutputs(q, workspaceId, { baselineRefs, itemIds: [...itemIds.values()] })
  const load = ({ ref, traceRef }: CaseKey): LoadedCase => {
    const trace = traces.get(traceRef ?? '') ?? null
    const itemId = itemIds.get(ref) ?? null
    const item = items.get(itemId ?? '')
    // A run is judged by what it did; an item by itself, and by its trace where it keeps nothing of it.
    const [first, second] = source.runId === null ? [item, trace] : [trace, null]
    return {
      itemId,
      isTraceMissing: traceRef !== null && trace === null,
      input: first?.input ?? second?.input ?? item?.input ?? null,
      output: first?.output ?? second?.output ?? null,
      conversation: needs.has('model') ? (trace?.conversation ?? earlierTurnsIn(item?.input ?? '')) : null,
      expected: item?.expected ?? null,
      baseline: baselines.get(itemId ?? '') ?? null,
      ratings: ratings.get(traceRef ?? '') ?? [],
      isGoodRating,
      trace,
    }
  }
  return new Map(keys.map((key) => [key.ref, load(key)]))
}

type Found = Known & { keys: readonly CaseKey[]; traces: ReadonlyMap<string, CaseTraceRead> }

/** Of a run the items that its links name, else those that were made from these very traces; of a dataset the cases themselves. */
async function knownItems(q: Queries, source: CaseSource, keys: readonly CaseKey[]): Promise<Map<string, string>> {
  const { runId } = source
  if (runId === null) return new Map(keys.map(({ ref, itemId }) => [ref, itemId ?? ref]))
  return listLinkedItems(
    q,
    { ...source, runId },
    keys.map(({ ref }) => ref),
  )
}

/** Which item a trace was made for: the one that is known, else the one that asks the same. What matches nothing has no item. */
async function itemsOf(
  q: Queries,
  source: CaseSource,
  { keys, traces, items: known }: Found,
): Promise<Map<string, string>> {
  const items = new Map<string, string>()
  const inputs = new Map<string, string | null>()
  for (const { ref } of keys) {
    const itemId = known.get(ref)
    if (itemId === undefined) inputs.set(ref, traces.get(ref)?.input ?? null)
    else items.set(ref, itemId)
  }
  for (const [ref, itemId] of await findItemsByInputs(q, source, inputs)) items.set(ref, itemId)
  return items
}

async function baselineOutputs(
  q: Queries,
  workspaceId: string,
  { baselineRefs, itemIds }: { baselineRefs: ReadonlyMap<string, string>; itemIds: readonly string[] },
): Promise<Map<string, string>> {
  const refs = new Map(itemIds.flatMap((itemId) => [[itemId, baselineRefs.get(itemId)] as const]))
  const wanted = [...refs.values()].filter((ref) => ref !== undefined)
  if (wanted.length === 0) return new Map()
  const contents = await findTraceContents(q, workspaceId, wanted)
  const outputs = new Map<string, string>()
  for (const [itemId, ref] of refs) {
    const output = contents.get(ref ?? '')?.output ?? null
    if (output !== null) outputs.set(itemId, output)
  }
  return outputs
}
