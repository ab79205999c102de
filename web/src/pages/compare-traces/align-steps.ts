import type { OutlineModel, OutlineSpan, SpanKind } from '../trace/outline-model.ts'
import { alignBy, type Pair } from './match-sequences.ts'

/** A span of the left trace next to the span of the right one that does the same; one of them is undefined if only one trace has it. */
export type Step = Pair<OutlineSpan>

/**
 * Aligns the spans of two traces: each is in exactly one step, and the spans of both keep their order from top to bottom. Children of
 * aligned spans are aligned with each other, by kind and name and in their order. What is left over between two aligned spans is aligned
 * as if all of it were on one level, because a version may wrap the same calls in one span more.
 */
export function alignSteps(left: Pick<OutlineModel, 'roots'>, right: Pick<OutlineModel, 'roots'>): Step[] {
  return alignLeftovers(alignTrees(left.roots, right.roots))
}

function alignTrees(left: OutlineSpan[], right: OutlineSpan[]): Step[] {
  const steps: Step[] = []
  const waiting = alignRoots(left, right).toReversed()
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    steps.push(step)
    // Of a span that only one trace has, all children are only in this trace, too.
    const below = alignBy(step.left?.children ?? [], step.right?.children ?? [], [labelOf])
    for (const child of below.toReversed()) waiting.push(child)
  }
  return steps
}

/** The one root of a trace is the whole trace: two of the same kind belong to each other, also if their names differ. */
function alignRoots(left: OutlineSpan[], right: OutlineSpan[]): Step[] {
  const areSingle = left.length === 1 && right.length === 1
  return alignBy(left, right, areSingle ? [({ kind }) => kind] : [labelOf])
}

function alignLeftovers(steps: Step[]): Step[] {
  const aligned: Step[] = []
  let leftovers: Step[] = []
  const flush = () => {
    const lefts = leftovers.flatMap(({ left }) => left ?? [])
    const rights = leftovers.flatMap(({ right }) => right ?? [])
    const isOneSided = lefts.length === 0 || rights.length === 0
    for (const step of isOneSided ? leftovers : alignBy(lefts, rights, [labelOf, modelKindOf])) aligned.push(step)
    leftovers = []
  }
  for (const step of steps) {
    if (!step.left || !step.right) {
      leftovers.push(step)
      continue
    }
    flush()
    aligned.push(step)
  }
  flush()
  return aligned
}

function labelOf({ kind, name }: OutlineSpan): string {
  return `${kind} ${name}`
}

const MODEL_KINDS: ReadonlySet<SpanKind> = new Set(['llm', 'embedding', 'reranker'])

/** Instrumentations put the model into the name of its call: "chat gpt-5" is the successor of "chat gpt-4o". */
function modelKindOf({ kind }: OutlineSpan): string | undefined {
  return MODEL_KINDS.has(kind) ? kind : undefined
}

export const stepFilters = ['both', 'left', 'right'] as const

/** In both traces, or only in one of them. */
export type StepFilter = (typeof stepFilters)[number]

export function filterOf({ left, right }: Step): StepFilter {
  if (left && right) return 'both'
  return left ? 'left' : 'right'
}

export function isFailed({ left, right }: Step): boolean {
  return Boolean(left?.isError || right?.isError)
}

/** The step to show first: where a failure began that only one of the traces has, or else the first step. */
export function defaultStep(steps: readonly Step[]): Step | undefined {
  const changed = steps.filter(({ left, right }) => left?.isError !== right?.isError && isFailed({ left, right }))
  const parents = new Set(changed.flatMap(({ left, right }) => [left?.parent, right?.parent]))
  return changed.find(({ left, right }) => !(left && parents.has(left)) && !(right && parents.has(right))) ?? steps[0]
}
