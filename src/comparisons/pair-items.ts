/** One trace of a run, and the item of the dataset that it is a pass over, if it meets one. */
export type RunCase = {
  /** Its number among the traces that were read of the run. */
  readonly index: number
  /** The trace as it was named when it was linked; it may not have arrived. */
  readonly ref: string
  readonly traceDbId: string | null
  readonly itemId: string | null
  readonly linkedAt: string
  /** Null while the trace has not arrived. */
  readonly trace: TraceFacts | null
}

export type TraceFacts = {
  readonly isError: boolean
  readonly durationMs: number | null
  readonly costUsd: number | null
  readonly totalTokens: number | null
}

export type CasePair = { readonly itemId: string; readonly baseline: RunCase; readonly candidate: RunCase }

export type PairedItems = {
  readonly pairs: readonly CasePair[]
  readonly onlyBaseline: readonly RunCase[]
  readonly onlyCandidate: readonly RunCase[]
}

/**
 * Brings together what two runs did with the same items. Several traces of one item in a run are repetitions: the first meets the
 * first, the second the second, in the order of the run; what is left over stays alone, as do traces that meet no item. Pairs are in
 * the order of their items: sums then have the same last digit, whichever run is named first.
 */
export function pairItems(baseline: readonly RunCase[], candidate: readonly RunCase[]): PairedItems {
  const [baselineCases, candidateCases] = [baseline.toSorted(compareByItem), candidate.toSorted(compareByItem)]
  const pairs: CasePair[] = []
  const onlyBaseline: RunCase[] = []
  const onlyCandidate: RunCase[] = []
  let [baselineIndex, candidateIndex] = [0, 0]
  for (;;) {
    const [one, other] = [baselineCases[baselineIndex], candidateCases[candidateIndex]]
    if (one === undefined && other === undefined) return { pairs, onlyBaseline, onlyCandidate }
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

function compareByItem(a: RunCase, b: RunCase): number {
  return compareItems(a, b) || compareInRunOrder(a, b)
}

/** Those that meet no item come first. */
function compareItems(a: RunCase, b: RunCase): number {
  return compareText(a.itemId ?? '', b.itemId ?? '')
}

/** As they were linked, then as they arrived, which our ids tell; those that have not arrived come last. A total order. */
function compareInRunOrder(a: RunCase, b: RunCase): number {
  return (
    compareText(a.linkedAt, b.linkedAt) ||
    Number(a.traceDbId === null) - Number(b.traceDbId === null) ||
    compareText(a.traceDbId ?? '', b.traceDbId ?? '') ||
    compareText(a.ref, b.ref)
  )
}

/** By code units: the same on every machine, whatever language it speaks. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
