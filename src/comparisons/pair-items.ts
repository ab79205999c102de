/** One trace of a run, and the item of the dataset that it is a pass over, if it meets one. */
export type RunCase = {
  /** Its number among the traces that were read of the run. */
  readonly place: number
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
 * first, the second the second, in the order of the run; what is left over stays alone, as do traces that meet no item.
 */
export function pairItems(baseline: readonly RunCase[], candidate: readonly RunCase[]): PairedItems {
  const waiting = byItem(candidate)
  const pairs: CasePair[] = []
  const onlyBaseline: RunCase[] = []
  const taken = new Set<RunCase>()
  for (const [itemId, passes] of byItem(baseline)) {
    const others = waiting.get(itemId) ?? []
    for (const [place, one] of passes.entries()) {
      const other = others[place]
      if (itemId === null || other === undefined) onlyBaseline.push(one)
      else {
        pairs.push({ itemId, baseline: one, candidate: other })
        taken.add(other)
      }
    }
  }
  const onlyCandidate = [...waiting.values()].flat().filter((one) => !taken.has(one))
  return { pairs: pairs.sort(byItemId), onlyBaseline, onlyCandidate }
}

/** Sums then have the same last digit, whichever run is named first. The sort keeps repetitions in their order. */
function byItemId(a: CasePair, b: CasePair): number {
  return compareText(a.itemId, b.itemId)
}

function byItem(cases: readonly RunCase[]): Map<string | null, RunCase[]> {
  const groups = Map.groupBy(cases, ({ itemId }) => itemId)
  for (const passes of groups.values()) if (passes.length > 1) passes.sort(inRunOrder)
  return groups
}

/** As they were linked, then as they arrived, which our ids tell; those that have not arrived come last. A total order. */
function inRunOrder(a: RunCase, b: RunCase): number {
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
