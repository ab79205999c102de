import { ChevronDown, ChevronRight, TriangleAlert } from 'lucide-react'
import { formatCount, formatDuration } from '../../ui/format-number.ts'
import { commentsText } from './comments-text.ts'
import type { OutlineSpan } from './outline-model.ts'
import { KindMark, spanKinds } from './span-kinds.tsx'
import type { TimeWindow } from './timeline-map.tsx'

interface SpanRowProps {
  id: string
  span: OutlineSpan
  /** The part of the trace that the bar shows. */
  shown: TimeWindow
  isSelected: boolean
  isCollapsed: boolean
  isMatch: boolean
  commentCount: number
  /** From the top of the list, in pixels. */
  top: number
  look: 'tree' | 'timeline'
  onSelect: () => void
  onToggle: () => void
}

/** Deeper levels are not indented further, so that names stay readable. */
const DEPTH_MAX = 8

export function SpanRow({ id, span, shown, isSelected, isCollapsed, isMatch, top, look, ...props }: SpanRowProps) {
  const siblings = span.parent?.children
  return (
    // The tree has the focus and handles the keys; rows are only clicked.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      id={id}
      role="treeitem"
      aria-level={span.depth + 1}
      aria-posinset={siblings ? siblings.indexOf(span) + 1 : undefined}
      aria-setsize={siblings?.length}
      aria-expanded={span.children.length > 0 ? !isCollapsed : undefined}
      aria-selected={isSelected}
      onClick={props.onSelect}
      style={{ transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 flex h-6 cursor-pointer touch:h-11 items-center gap-2 border-l-[3px] pr-3 text-data ${
        isSelected ? 'border-gold bg-hover' : 'border-transparent hover:bg-hover'
      } ${isMatch ? 'bg-gold-wash' : ''}`}
    >
      <span
        className={`flex min-w-0 items-center gap-1 ${look === 'tree' ? 'flex-1' : 'w-64 shrink-0'}`}
        style={{ paddingLeft: Math.min(span.depth, DEPTH_MAX) * 12 }}
      >
        <Toggle span={span} isCollapsed={isCollapsed} onToggle={props.onToggle} />
        <KindMark kind={span.kind} />
        <span
          className={`truncate ${span.isError ? 'font-medium text-danger' : ''} ${isSelected ? 'font-medium' : ''}`}
        >
          {span.name}
        </span>
        {span.isError && <TriangleAlert role="img" aria-label="failed" className="size-3.5 shrink-0 text-danger" />}
        {props.commentCount > 0 && <CommentCount count={props.commentCount} />}
      </span>
      <Bar span={span} shown={shown} look={look} />
      <span className="w-16 shrink-0 text-right text-meta text-faint tabular-nums">
        {span.durationMs === null ? 'no end' : formatDuration(span.durationMs)}
      </span>
    </div>
  )
}

function Toggle({ span, isCollapsed, onToggle }: { span: OutlineSpan; isCollapsed: boolean; onToggle: () => void }) {
  if (span.children.length === 0) return <span className="w-3.5 shrink-0" />
  const Icon = isCollapsed ? ChevronRight : ChevronDown
  return (
    <Icon
      aria-hidden
      className="size-3.5 shrink-0 rounded text-faint hover:bg-line"
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
    />
  )
}

function CommentCount({ count }: { count: number }) {
  const text = commentsText(count)
  return (
    <span
      role="img"
      aria-label={text}
      title={text}
      className="min-w-4 shrink-0 rounded-full bg-gold-wash px-1 text-center text-[11px] leading-4 font-medium text-gold-ink tabular-nums"
    >
      {formatCount(count)}
    </span>
  )
}

/** When the span ran, within the trace. Spans with children are thin, failed ones are hatched. */
function Bar({ span, shown, look }: { span: OutlineSpan; shown: TimeWindow; look: 'tree' | 'timeline' }) {
  const shownMs = shown.endMs - shown.startMs
  const percentAt = (ms: number) => Math.min(100, Math.max(0, ((ms - shown.startMs) / shownMs) * 100))
  const endMs = span.startMs + (span.durationMs ?? 0)
  const isShown = span.startMs <= shown.endMs && endMs >= shown.startMs
  const left = Math.min(99.5, percentAt(span.startMs))
  const width = Math.max(0.5, percentAt(endMs) - left)
  const height = span.children.length > 0 ? 'h-[3px]' : 'h-[7px]'
  return (
    <span
      aria-hidden
      className={`relative h-full border-x border-line ${look === 'tree' ? 'w-28 shrink-0' : 'flex-1'}`}
    >
      {isShown && (
        <span
          className={`absolute top-1/2 min-w-[2px] -translate-y-1/2 rounded-[1px] ${height} ${
            span.isError ? 'hatched-danger' : spanKinds[span.kind].bar
          }`}
          style={{ left: `${left}%`, width: `${width}%` }}
        />
      )}
    </span>
  )
}
