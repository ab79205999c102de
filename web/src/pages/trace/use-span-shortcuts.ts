import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { nextFailedSpan, type OutlineModel, type OutlineSpan, visibleSpans } from './outline-model.ts'

interface SpanShortcuts {
  outline: OutlineModel
  selectedId: string | undefined
  onSelect: (span: OutlineSpan) => void
}

/** j and k move through the spans from top to bottom, e through those that failed. */
export function useSpanShortcuts({ outline, selectedId, onSelect }: SpanShortcuts): void {
  const select = (span: OutlineSpan | undefined) => {
    if (span) onSelect(span)
  }
  const move = (step: number) => {
    const spans = visibleSpans(outline.roots, new Set())
    select(spans[spans.findIndex(({ spanId }) => spanId === selectedId) + step])
  }
  useShortcut('nextSpan', () => move(1))
  useShortcut('previousSpan', () => move(-1))
  const hasFailed = outline.spans.some(({ isError }) => isError)
  useShortcut('nextFailedSpan', hasFailed ? () => select(nextFailedSpan(outline, selectedId)) : undefined)
}
