/**
 * Several candidates that are compared with one baseline while items are added: what each look finds, and when a candidate
 * needs no more items. All is computed from the items in their order, so that repeating it gives the same.
 */
import type { Interval } from '../interval.ts'
import type { Slices } from '../slices.ts'
import { sumOf } from '../sums.ts'
import { eHolmThresholds } from './e-values.ts'
import { type Changes, type Claim, isFutile } from './futility.ts'
import { unplannedLooks } from './unplanned-looks.ts'

export type CandidateLooks = {
  /** Until the candidate is decided or futile. */
  readonly looks: readonly CandidateLook[]
  readonly verdict: 'improved' | 'regressed' | 'undecided'
  /** Null if it goes on. */
  readonly endedBy: 'decided' | 'futile' | null
  /** All differences against which the evidence of the last look is below its threshold: without 0 exactly if it is decided. */
  readonly interval: Interval
  /** Null without a margin. */
  readonly margin: MarginLook | null
}

type CandidateLook = { readonly items: number; readonly evidence: number; readonly threshold: number }

/** That of the first look that shows it to be kept, else that of the last look. */
type MarginLook = CandidateLook & {
  readonly isKept: boolean
  /** Losses beyond it are excluded: it is above −margin exactly if the evidence reaches its threshold. */
  readonly lowest: number
}

type LookOptions = {
  /** The numbers of items of all looks, those to come included. */
  readonly sizes: readonly number[]
  /** How many of them have their items. */
  readonly available: number
  /** The greatest loss that is accepted, as a share of the scale. */
  readonly margin?: number | undefined
  readonly seed: string
}

/** A decision on a margin accepts a change, which needs more items than reporting one: as in comparisons. */
const MARGIN_ITEMS_MIN = 30

/**
 * Each candidate has its changes in the same items, as shares of the scale; items of one group are one change. It is
 * decided when its evidence, the mean of the capitals of bets in both directions, reaches its threshold. Any candidate
 * without a difference is decided in at most 5 of 100 families, however many candidates and looks there are, because
 * the thresholds are those of e-Holm.
 */
export function* familyLooks(candidates: readonly Changes[], options: LookOptions): Slices<CandidateLooks[]> {
  const { sizes, available, margin } = options
  const states = candidates.map(beginning)
  for (const [look, items] of sizes.slice(0, available).entries()) {
    const active = states.filter(({ endedBy }) => endedBy === null)
    for (const state of active) {
      state.seen = seenOf(state.changes, items)
      state.evidence = state.seen.eValue(0)
      if (margin !== undefined && !state.margin?.isKept) state.marginEvidence = state.seen.rising(-margin)
      yield
    }
    // Those that have ended keep their evidence: an e-process that is stopped is still one.
    const thresholds = eHolmThresholds(states.map(({ evidence }) => evidence))
    const marginThresholds = eHolmThresholds(states.map(({ marginEvidence }) => marginEvidence))
    for (const [index, state] of states.entries()) {
      if (!active.includes(state)) continue
      const [threshold = Infinity, marginThreshold = Infinity] = [thresholds[index], marginThresholds[index]]
      yield* decideLook(state, { ...options, look, items, threshold, marginThreshold, index })
    }
  }
  return states.map(({ looks, verdict, endedBy, interval, margin: ofMargin }) => {
    return { looks, verdict, endedBy, interval, margin: ofMargin }
  })
}

type Seen = ReturnType<typeof seenOf>

type State = {
  readonly changes: Changes
  readonly looks: CandidateLook[]
  seen: Seen | undefined
  evidence: number
  marginEvidence: number
  verdict: CandidateLooks['verdict']
  endedBy: CandidateLooks['endedBy']
  interval: Interval
  margin: MarginLook | null
}

function beginning(changes: Changes): State {
  const nothingSeen = { seen: undefined, evidence: 1, marginEvidence: 1, interval: [-1, 1] as const, margin: null }
  return { changes, looks: [], verdict: 'undecided', endedBy: null, ...nothingSeen }
}

type Look = LookOptions & {
  readonly look: number
  readonly items: number
  readonly threshold: number
  readonly marginThreshold: number
  /** The position of the candidate. */
  readonly index: number
}

function* decideLook(state: State, options: Look): Slices<void> {
  const { seen, evidence, marginEvidence } = state
  if (!seen) return
  const { look, items, sizes, available, margin, threshold, marginThreshold } = options
  state.looks.push({ items, evidence, threshold })
  if (evidence >= threshold) {
    // Zero is outside of the means of the items then, on the side on which the other direction has lost.
    state.verdict = seen.mean > 0 ? 'improved' : 'regressed'
    state.endedBy = 'decided'
  }
  const isOpen = margin !== undefined && !state.margin?.isKept
  const isReached = isOpen && marginEvidence >= marginThreshold && items >= MARGIN_ITEMS_MIN
  const isKept = isReached || state.verdict === 'improved'
  if (state.endedBy === null && 2 * items >= (sizes.at(-1) ?? 0) && look < sizes.length - 1) {
    const claims: Claim[] = [{ mean: 0, threshold, directions: 'both' }]
    if (isOpen && !isKept) claims.push({ mean: -margin, threshold: marginThreshold, directions: 'rising' })
    const future = { sizes: sizes.slice(look + 1), claims, seed: `${options.seed}:${options.index}:${look}` }
    if (yield* isFutile(firstOf(state.changes, items), future)) state.endedBy = 'futile'
  }
  if (state.endedBy !== null || look === available - 1) state.interval = seen.plausible(threshold)
  if (isOpen && (isKept || state.endedBy !== null || look === available - 1)) {
    const found = { items, evidence: marginEvidence, threshold: marginThreshold }
    const lowest = seen.lowest(marginThreshold)
    // A gain of any size keeps the margin.
    state.margin = { ...found, isKept, lowest: isReached || !isKept ? lowest : Math.max(lowest, state.interval[0]) }
  }
  yield
}

function seenOf(changes: Changes, items: number) {
  const { values, atWorst } = firstOf(changes, items)
  const known = values.filter((value) => !Number.isNaN(value))
  const isComplete = known.length === items
  return { mean: sumOf(atWorst) / items, ...unplannedLooks(known, isComplete ? known : atWorst) }
}

function firstOf({ values, atWorst }: Changes, items: number): Changes {
  return { values: values.subarray(0, items), atWorst: atWorst.subarray(0, items) }
}
