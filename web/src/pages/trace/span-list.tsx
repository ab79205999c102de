import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { ancestorsOf, type OutlineModel, type OutlineSpan, visibleSpans } from './outline-model.ts'
import { SpanRow } from './span-row.tsx'
import type { TimeWindow } from './timeline-map.tsx'

interface SpanListProps {
  outline: OutlineModel
  /** The part of the trace that the bars show. */
  shown: TimeWindow
  selectedId: string | undefined
  /** Ids of the spans that a search has found. */
  matches: ReadonlySet<string>
  /** By the id of the span; spans without comments are missing. */
  commentCounts: ReadonlyMap<string, number>
  look: 'tree' | 'timeline'
  onSelect: (span: OutlineSpan) => void
}

/**
 * The spans of a trace as a tree. Only the rows in view are in the document, so that ten thousand spans scroll smoothly. Arrow keys
 * move, open and close.
 */
export function SpanList({ outline, shown, selectedId, matches, commentCounts, look, onSelect }: SpanListProps) {
  const listId = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const spans = useMemo(() => visibleSpans(outline.roots, collapsed), [outline, collapsed])
  const selected = spans.findIndex(({ spanId }) => spanId === selectedId)
  // As the classes of the rows.
  const rowHeight = useMediaQuery('(width < 40rem), (pointer: coarse)') ? 44 : 24
  const virtualizer = useVirtualizer({
    count: spans.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  useEffect(() => {
    // A span that was found may be below a collapsed one. Collapsing the parent of the selected span later does not open it again.
    const span = outline.spans.find(({ spanId }) => spanId === selectedId)
    const hiding = new Set(span && ancestorsOf(span).map(({ spanId }) => spanId))
    setCollapsed((ids) => {
      const rest = [...ids].filter((id) => !hiding.has(id))
      return rest.length === ids.size ? ids : new Set(rest)
    })
  }, [selectedId, outline])
  useEffect(() => {
    if (selected >= 0) virtualizer.scrollToIndex(selected, { align: 'auto' })
  }, [selected, virtualizer])

  const toggle = ({ spanId }: OutlineSpan) =>
    setCollapsed((ids) =>
      ids.has(spanId) ? new Set([...ids].filter((id) => id !== spanId)) : new Set([...ids, spanId]),
    )
  const onKeyDown = (event: KeyboardEvent) => {
    const current = spans[selected]
    const next = nextSpan(event.key, { spans, selected, collapsed })
    if (next) onSelect(next)
    else if (event.key === 'ArrowLeft' && current?.children.length) toggle(current)
    else if (event.key === 'ArrowRight' && current && collapsed.has(current.spanId)) toggle(current)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label="Spans"
      tabIndex={0}
      aria-activedescendant={selected >= 0 ? `${listId}-${selected}` : undefined}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
    >
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const span = spans[index]
          if (!span) return null
          return (
            <SpanRow
              key={span.spanId}
              id={`${listId}-${index}`}
              span={span}
              shown={shown}
              isSelected={index === selected}
              isCollapsed={collapsed.has(span.spanId)}
              isMatch={matches.has(span.spanId)}
              commentCount={commentCounts.get(span.spanId) ?? 0}
              top={start}
              look={look}
              onSelect={() => onSelect(span)}
              onToggle={() => toggle(span)}
            />
          )
        })}
      </div>
    </div>
  )
}

interface Movement {
  spans: OutlineSpan[]
  selected: number
  collapsed: ReadonlySet<string>
}

/** Undefined if the key does not lead to another span. */
function nextSpan(key: string, { spans, selected, collapsed }: Movement): OutlineSpan | undefined {
  const current = spans[selected]
  const isOpen = current && current.children.length > 0 && !collapsed.has(current.spanId)
  if (key === 'ArrowDown') return spans[selected + 1]
  if (key === 'ArrowUp') return spans[selected - 1]
  if (key === 'Home') return spans[0]
  if (key === 'End') return spans.at(-1)
  if (key === 'ArrowRight' && isOpen) return current.children[0]
  if (key === 'ArrowLeft' && !isOpen) return current?.parent
  return undefined
}
