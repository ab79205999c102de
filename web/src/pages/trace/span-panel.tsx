import { useQuery } from '@tanstack/react-query'
import { Search, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { TraceComment } from '../../api/generated/api.ts'
import { traceCommentsQuery } from '../../api/trace-comments-query.ts'
import type { TraceKey } from '../../api/traces-query.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { countOf, formatCount, formatDuration } from '../../ui/format-number.ts'
import { nextFailedSpan, type OutlineModel, type OutlineSpan } from './outline-model.ts'
import { SpanFinder } from './span-finder.tsx'
import { SpanList } from './span-list.tsx'
import { TimelineMap, type TimeWindow } from './timeline-map.tsx'

interface SpanPanelProps {
  traceKey: TraceKey
  outline: OutlineModel
  /** Of all spans; the outline has at most the first 50,000. */
  total: number
  selectedId: string | undefined
  look: 'tree' | 'timeline'
  onSelect: (span: OutlineSpan) => void
  /** The choice between tree, timeline and messages. */
  switcher: ReactNode
}

/** The spans at the left of the trace, with their search. */
export function SpanPanel({ traceKey, outline, total, selectedId, look, onSelect, switcher }: SpanPanelProps) {
  const [matches, setMatches] = useState<ReadonlySet<string>>(new Set())
  const [isFinding, setIsFinding] = useState(false)
  const [zoomed, setZoomed] = useState<TimeWindow>()
  const shown = (look === 'timeline' && zoomed) || { startMs: 0, endMs: outline.durationMs }
  const failed = outline.spans.filter(({ isError }) => isError)
  const [first] = failed
  const { data: commentCounts = NO_COMMENTS } = useQuery({ ...traceCommentsQuery(traceKey), select: countBySpan })
  useShortcut('findSpan', () => setIsFinding(true))
  const close = () => {
    setIsFinding(false)
    setMatches(new Set())
  }
  return (
    <section
      aria-label="Spans of the trace"
      className="flex min-h-0 flex-col border-r border-line bg-surface max-lg:h-64 max-lg:border-r-0 max-lg:border-b max-sm:h-[max(16rem,calc(100dvh-22rem))]"
    >
      <div className="flex min-h-11 items-center gap-1 border-b border-line px-3 max-sm:min-h-14">
        {switcher}
        <span className="ml-auto" />
        {first && (
          <Button
            look="quiet"
            size="small"
            aria-label="Next failed span"
            onClick={() => onSelect(nextFailedSpan(outline, selectedId) ?? first)}
          >
            <TriangleAlert aria-hidden className="size-4 text-danger" />
            {formatCount(failed.length)}
          </Button>
        )}
        <Button look="quiet" size="small" aria-expanded={isFinding} onClick={() => setIsFinding(!isFinding)}>
          <Search aria-hidden className="size-4" />
          <span className="max-sm:sr-only">Find</span>
          <ShortcutKeys id="findSpan" />
        </Button>
      </div>
      {isFinding && (
        <SpanFinder
          trace={traceKey}
          outline={outline}
          selectedId={selectedId}
          onMatches={setMatches}
          onSelect={onSelect}
          onClose={close}
        />
      )}
      <div className="flex justify-between border-b border-line px-3 py-1 text-meta text-faint tabular-nums">
        <span>
          {total > outline.spans.length
            ? `${formatCount(outline.spans.length)} of ${countOf(total, 'span')}`
            : countOf(total, 'span')}
        </span>
        <span>{formatDuration(outline.durationMs)}</span>
      </div>
      {look === 'timeline' && (
        <TimelineMap
          outline={outline}
          shown={shown}
          selected={outline.spans.find(({ spanId }) => spanId === selectedId)}
          onChange={setZoomed}
        />
      )}
      <SpanList
        outline={outline}
        shown={shown}
        selectedId={selectedId}
        matches={matches}
        commentCounts={commentCounts}
        look={look}
        onSelect={onSelect}
      />
    </section>
  )
}

const NO_COMMENTS: ReadonlyMap<string, number> = new Map()

function countBySpan(comments: TraceComment[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { spanId } of comments) if (spanId !== null) counts.set(spanId, (counts.get(spanId) ?? 0) + 1)
  return counts
}
