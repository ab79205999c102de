/** A trace of a run and the dataset item it belongs to, if any. */
export type RunCase = {
  /** The index of the trace among the traces that were read. */
  readonly index: number
  /** The reference of the trace when it was linked. The trace may not have arrived. */
  readonly ref: string
  readonly traceDbId: string | null
  readonly itemId: string | null
  readonly linkedAt: string
  /** Null if the trace has not arrived. */
  readonly trace: TraceFacts | null
}

export type TraceFacts = {
  readonly isError: boolean
  readonly durationMs: number | null
  readonly costUsd: number | null
  readonly totalTokens: number | null
}

export type CasePair = { readonly itemId: string; readonly baseline: RunCase; readonly candidate: RunCase }

/** All traces of one item in both runs. */
export type ItemCases = {
  readonly itemId: string
  readonly baseline: readonly RunCase[]
  readonly candidate: readonly RunCase[]
}

export type PairedItems = {
  /** All items that one of the runs has, and those that neither tried, ordered by item. */
  readonly items: readonly ItemCases[]
  /** The number of items that count as another one. */
  readonly duplicates: number
  readonly pairs: readonly CasePair[]
  readonly onlyBaseline: readonly RunCase[]
  readonly onlyCandidate: readonly RunCase[]
}

type CasesToPair = {
  readonly baseline: readonly RunCase[]
  readonly candidate: readonly RunCase[]
  /** Items that neither run tried and that count as unanswered. */
  readonly untried?: readonly string[]
}

/**
 * Pairs the traces of two runs by item. Several traces of one item in a run are repetitions and are paired in run
 * order. Traces without a counterpart and traces without an item stay unpaired. Pairs are ordered by item, so that sums
 * do not depend on which run is the baseline. `sameAs` names the items that count as another one.
 */
export function pairItems(
  { baseline, candidate, untried = [] }: CasesToPair,
  sameAs: ReadonlyMap<string, string> = new Map(),
): PairedItems {
  const [baselineCases, candidateCases] = [baseline.toSorted(compareByItem), candidate.toSorted(compareByItem)]
  const items = groupByItem({ baseline: baselineCases, candidate: candidateCases, untried }, sameAs)
  const named = new Set([...baseline, ...candidate].flatMap(({ itemId }) => itemId ?? []))
  const duplicates = named.size + untried.length - items.length
  const pairs: CasePair[] = []
  const onlyBaseline: RunCase[] = []
  const onlyCandidate: RunCase[] = []
  let [baselineIndex, candidateIndex] = [0, 0]
  for (;;) {
    const [one, other] = [baselineCases[baselineIndex], candidateCases[candidateIndex]]
    if (one === undefined && other === undefined) return { items, duplicates, pairs, onlyBaseline, onlyCandidate }
    if (one?.itemId != null && one.itemId === other?.itemId) {
      pairs.push({ itemId: one.itemId, baseline: one, candidate: other })
      baselineIndex += 1
      candidateIndex += 1
    } else if (one !== undefined && (other === undefined || compareItems(one, other) <= 0)) {
      onlyBaseline.push(one)
      baselineIndex += 1
    } else if (other !== undefined) {
      onlyCandidate.push(other)
      candidateIndex += 1
    }
  }
}

function groupByItem(
  { baseline, candidate, untried = [] }: CasesToPair,
  sameAs: ReadonlyMap<string, string>,
): ItemCases[] {
  const items = new Map<string, { itemId: string; baseline: RunCase[]; candidate: RunCase[] }>()
  const itemOf = (named: string) => {
    const itemId = sameAs.get(named) ?? named
    let item = items.get(itemId)
    if (!item) {
      item = { itemId, baseline: [], candidate: [] }
      items.set(itemId, item)
    }
    return item
  }
  for (const one of baseline) if (one.itemId !== null) itemOf(one.itemId).baseline.push(one)
  for (const one of candidate) if (one.itemId !== null) itemOf(one.itemId).candidate.push(one)
  for (const itemId of untried) itemOf(itemId)
  return [...items.values()].sort((a, b) => compareText(a.itemId, b.itemId))
}

function compareByItem(a: RunCase, b: RunCase): number {
  return compareItems(a, b) || compareInRunOrder(a, b)
}

/** Traces without an item come first. */
function compareItems(a: RunCase, b: RunCase): number {
  return compareText(a.itemId ?? '', b.itemId ?? '')
}

/**
 * Ordered by time of linking, then by arrival, which the ids reflect. Traces that have not arrived come last. The order
 * is total.
 */
function compareInRunOrder(a: RunCase, b: RunCase): number {
  return (
    compareText(a.linkedAt, b.linkedAt) ||
    Number(a.traceDbId === null) - Number(b.traceDbId === null) ||
    compareText(a.traceDbId ?? '', b.traceDbId ?? '') ||
    compareText(a.ref, b.ref)
  )
}

/** Compares code units, so that the order does not depend on the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
