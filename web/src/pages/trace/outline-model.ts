import type { TraceOutline } from '../../api/generated/api.ts'

export type SpanKind = TraceOutline['labels'][number]['kind']

/** A span in the tree. Its position is its index in the outline, which is in chronological order. */
export interface OutlineSpan {
  position: number
  spanId: string
  name: string
  kind: SpanKind
  /** 0 for a span without a parent. */
  depth: number
  /** In milliseconds after the first span. */
  startMs: number
  durationMs: number | null
  isError: boolean
  totalTokens: number | null
  costUsd: number | null
  parent: OutlineSpan | undefined
  children: OutlineSpan[]
}

export interface OutlineModel {
  /** In chronological order. */
  spans: OutlineSpan[]
  roots: OutlineSpan[]
  /** Of the whole trace, at least 1, so that shares of it can be computed. */
  durationMs: number
}

export function buildOutline(outline: TraceOutline): OutlineModel {
  const errors = new Set(outline.errors)
  let startMs = 0
  const spans = outline.spanIds.map((spanId, position): OutlineSpan => {
    startMs += outline.startGapsMs[position] ?? 0
    const label = outline.labels[outline.labelOf[position] ?? 0]
    return {
      position,
      spanId,
      name: label?.name ?? '',
      kind: label?.kind ?? 'span',
      depth: 0,
      startMs,
      durationMs: outline.durationsMs[position] ?? null,
      isError: errors.has(position),
      totalTokens: outline.totalTokens[position] ?? null,
      costUsd: outline.costsUsd[position] ?? null,
      parent: undefined,
      children: [],
    }
  })
  for (const span of spans) {
    span.parent = spans[outline.parents[span.position] ?? -1]
    span.parent?.children.push(span)
  }
  const roots = findRoots(spans)
  const ends = spans.map((span) => span.startMs + (span.durationMs ?? 0))
  return {
    spans,
    roots,
    durationMs: Math.max(
      1,
      ends.reduce((latest, end) => Math.max(latest, end), 0),
    ),
  }
}

/** The spans to show, from top to bottom: those below a collapsed span are not shown. */
export function visibleSpans(roots: readonly OutlineSpan[], collapsed: ReadonlySet<string>): OutlineSpan[] {
  const visible: OutlineSpan[] = []
  const waiting = roots.toReversed()
  for (let span = waiting.pop(); span; span = waiting.pop()) {
    visible.push(span)
    if (!collapsed.has(span.spanId)) waiting.push(...span.children.toReversed())
  }
  return visible
}

/** The next failed span below the selected one, from top to bottom; after the last one the first. Undefined if none failed. */
export function nextFailedSpan({ roots }: OutlineModel, selectedId: string | undefined): OutlineSpan | undefined {
  const spans = visibleSpans(roots, new Set())
  const position = spans.findIndex(({ spanId }) => spanId === selectedId)
  const inOrder = [...spans.slice(position + 1), ...spans.slice(0, position + 1)]
  return inOrder.find(({ isError }) => isError)
}

/** The span to show first: where a failure began, which is a failed span without a failed child, or else the first span. */
export function defaultSpan({ spans, roots }: OutlineModel): OutlineSpan | undefined {
  return spans.find(({ isError, children }) => isError && !children.some((child) => child.isError)) ?? roots[0]
}

export function ancestorsOf(span: OutlineSpan): OutlineSpan[] {
  const ancestors: OutlineSpan[] = []
  for (let parent = span.parent; parent; parent = parent.parent) ancestors.push(parent)
  return ancestors
}

/** Sets the depths, too. */
function findRoots(spans: readonly OutlineSpan[]): OutlineSpan[] {
  const seen = new Set<OutlineSpan>()
  const roots: OutlineSpan[] = []
  const addRoot = (root: OutlineSpan) => {
    roots.push(root)
    const waiting = [root]
    for (let span = waiting.pop(); span; span = waiting.pop()) {
      seen.add(span)
      for (const child of span.children) {
        child.depth = span.depth + 1
        waiting.push(child)
      }
    }
  }
  for (const span of spans) if (!span.parent) addRoot(span)
  for (const span of spans) {
    if (seen.has(span)) continue
    // Only a circle of parents is left over. A sender can report one; its first span becomes a root.
    const { parent } = span
    if (parent) parent.children = parent.children.filter((child) => child !== span)
    span.parent = undefined
    addRoot(span)
  }
  return roots
}
