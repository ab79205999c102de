import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { type OutlineModel, type OutlineSpan, visibleSpans } from './outline-model.ts'

interface SpanShortcuts {
  outline: OutlineModel
  selectedId: string | undefined
  onSelect: (span: OutlineSpan) => void
}

const NOTHING_COLLAPSED: ReadonlySet<string> = new Set()

/** j and k move through the spans from top to bottom, e through those that failed. */
export function useSpanShortcuts({ outline, selectedId, onSelect }: SpanShortcuts): void {
  const move = (step: number, isWanted: (span: OutlineSpan) => boolean) => {
    const spans = visibleSpans(outline.roots, NOTHING_COLLAPSED)
    const position = spans.findIndex(({ spanId }) => spanId === selectedId)
    const after = step > 0 ? spans.slice(position + 1) : spans.slice(0, Math.max(0, position)).toReversed()
    const next = after.find(isWanted)
    if (next) onSelect(next)
  }
  useShortcut('nextSpan', () => move(1, () => true))
  useShortcut('previousSpan', () => move(-1, () => true))
  const hasFailed = outline.spans.some(({ isError }) => isError)
  useShortcut('nextFailedSpan', hasFailed ? () => move(1, ({ isError }) => isError) : undefined)
}
