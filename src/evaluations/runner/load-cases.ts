/**
 * Loads the cases for evaluators. It reads only what an evaluator needs, and only some cases are in memory at a time.
 */
import { readRatingScheme } from '../../annotations/rating-rule-queries.ts'
import { chunksOf } from '../../base/event-loop.ts'
import { findComparedRun } from '../../comparisons/pairing/comparison-queries.ts'
import { readRunData } from '../../comparisons/pairing/read-run-data.ts'
import { type Case, ConfigError, type Need } from '../../evaluators/evaluator.ts'
import { DEFAULT_SCHEME, isGoodRating } from '../../evaluators/rating-scheme.ts'
import { findItemsByInputs } from '../../runs/items-by-question.ts'
import type { CaseKey } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { earlierTurnsIn } from '../../traces/semconv/messages/question-and-answer.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import { type CaseSource, hashItems, listItemTexts, listLinkedItems, listRatings } from './case-queries.ts'
import { type CaseAnalysis, type CaseTraceRead, readTraces } from './read-case-traces.ts'

export type LoadedCase = Case & {
  /** The dataset item of the case; null if none is known. */
  itemId: string | null
  /** What of the item is judged; null without an item. */
  itemHash: string | null
  /** True if the case names a trace that has not arrived. */
  isTraceMissing: boolean
}

type Loading = {
  source: CaseSource
  needs: ReadonlySet<Need>
  /** The trace of the baseline run, by item; empty unless an evaluator needs it. */
  baselineRefs: ReadonlyMap<string, string>
  /** Receives all traces that are read. */
  analysis?: CaseAnalysis | undefined
}

/** What is known about the cases before their texts are read. */
type Known = {
  /** The item of each case, as far as the link names one. */
  items: ReadonlyMap<string, string>
  /** The ratings of each trace; empty unless an evaluator needs them. */
  ratings: ReadonlyMap<string, readonly string[]>
  isGoodRating(rating: string): boolean | undefined
}

/** The size of a case without a trace is unknown, so only a few are loaded at a time. */
const TRACELESS_AT_ONCE = 10

/** Yields all cases by name, in portions of bounded size. */
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
  // Only judges read earlier turns.
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
  const hashes = await hashItems(q, source, [...itemIds.values()])
  const baselines = await baselineOutputs(q, workspaceId, { baselineRefs, itemIds: [...itemIds.values()] })
  const load = ({ ref, traceRef }: CaseKey): LoadedCase => {
    const trace = traces.get(traceRef ?? '') ?? null
    const itemId = itemIds.get(ref) ?? null
    const item = items.get(itemId ?? '')
    // For a run, the texts are those of the trace. For a dataset, they are those of the item, or of its trace where the
    // item has none.
    const [first, second] = source.runId === null ? [item, trace] : [trace, null]
    return {
      itemId,
      itemHash: hashes.get(itemId ?? '') ?? null,
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

/**
 * For a run, the items that its links name, else the items created from these traces. For a dataset, the cases are the
 * items.
 */
async function knownItems(q: Queries, source: CaseSource, keys: readonly CaseKey[]): Promise<Map<string, string>> {
  const { runId } = source
  if (runId === null) return new Map(keys.map(({ ref, itemId }) => [ref, itemId ?? ref]))
  return listLinkedItems(
    q,
    { ...source, runId },
    keys.map(({ ref }) => ref),
  )
}

/**
 * Finds the item of each trace: the known one, else the item with the same input. A trace without a match has no item.
 */
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

/**
 * Returns the traces of the baseline run by item; if an item has several, the first. Empty unless an evaluator needs
 * the baseline. Throws a ConfigError if the run cannot be compared.
 */
export async function readBaseline(
  { read, bulk }: { read: Queries; bulk: Queries },
  { config, source, hasBegun }: { config: EvaluationConfig; source: CaseSource; hasBegun: boolean },
): Promise<Map<string, string>> {
  const { workspaceId } = source
  const { baselineRunId } = config
  if (baselineRunId === undefined) return new Map()
  const run = await findComparedRun(read, { workspaceId, runId: baselineRunId })
  // Deleted since the evaluation started: the existing scores stay valid, and the others can be computed without the
  // baseline.
  if (!run && hasBegun) return new Map()
  if (!run || run.datasetId !== source.datasetId) {
    throw new ConfigError('config.baselineRunId must be a run of the same dataset, and there is none with this id')
  }
  if (config.gate && source.runId === null) throw new ConfigError('config.gate compares runs: name the run to evaluate')
  if (config.gate && source.runId === baselineRunId) {
    throw new ConfigError(
      'config.gate compares runs: config.baselineRunId must be another one than the run to evaluate',
    )
  }
  const refs = new Map<string, string>()
  if (!config.evaluators.some(({ needs }) => needs.includes('baseline'))) return refs
  const { cases } = await readRunData(bulk, { workspaceId, run })
  for (const { itemId, ref } of cases) if (itemId !== null && !refs.has(itemId)) refs.set(itemId, ref)
  return refs
}
